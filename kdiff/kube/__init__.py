"""Facts about Kubernetes, Flux and Argo CD, as tables and small functions of values."""

"""YAML text and values: split a stream into documents, load one, dump one.

In: bytes that kustomize or anyone else wrote. Out: values as Kubernetes reads them, and kdiff's own sorted YAML of a value.
"""

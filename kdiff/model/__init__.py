"""What passes between the stages: frozen dataclasses, standard library only.

Every stage may import this package; it imports nothing of kdiff but itself.
"""

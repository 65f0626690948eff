"""Generate the reference of the built-in steering models from the declarations of the models."""

from inspect import getdoc

from ecs_anim.steering.models import MODELS
from pages_from_code.markdown import code, table

HEAD = ("parameter", "default", "unit", "")


def steering_models() -> str:
    """Return one section per steering model, with its method, its source and its parameters."""
    sections = []
    for name, model in MODELS.items():
        rows = [(code(key), f"{own:g}", own.unit, own.meaning) for key, own in model.parameters.items()]
        sections.append(f"### {code(name)}\n\n{getdoc(model)}\n\n{table(HEAD, rows)}")
    return "\n\n".join(sections)

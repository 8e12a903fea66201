"""The recorded study of KINA: audits and repairs of ten-option items. Sizes here are the recorded ones."""

import pandas as pd

from proctor.exam.recorded import MODELS
from proctor.generated.generate import FAMILIES
from proctor.kina import item_refinement
from proctor.kina.generated_items import plain_items, pseudo_items
from proctor.models.session import Session

AUDITED = 6  # ten-option items that are audited and mended


async def refinements(session: Session, models=MODELS, n: int = AUDITED, rounds: int = 2) -> pd.DataFrame:
    """Each model as auditor and refiner of `n` ten-option items of ours, half of sets, and of the same with a stem that
    leans on a figure which is not there; columns model and defect (KINA, Figure 1)."""
    whole = [*plain_items(per_level=1, families=list(FAMILIES)[:n])[: n - n // 2], *pseudo_items(n // 2)]
    leaning = [item_refinement.planted_defects(item)["leaning stem"][1] for item in whole]
    return pd.concat(
        [
            (
                await item_refinement.refine_all(
                    items,
                    item_refinement.audit_with(session, model),
                    item_refinement.refine_with(session, model),
                    rounds,
                )
            ).assign(model=model, defect=defect)
            for model in models
            for defect, items in (("none", whole), ("leaning stem", leaning))
        ],
        ignore_index=True,
    )


STUDIES = {"refinements": refinements}

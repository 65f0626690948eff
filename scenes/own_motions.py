"""Default motions of crowds. If a scene names no motions for a crowd, the crowd plays clips of its rig."""

from collections.abc import Mapping
from dataclasses import replace

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.playback import ClipModel
from ecs_anim.scenes.usual_clips import usual_clip
from ecs_anim.support.reuse import reusable

STILL = "rest"  # name of the clip for a model without clips


@reusable
def with_own_motions(scene: SceneFile, rigs: Mapping[str, LoadedRig]) -> SceneFile:
    """Return the scene with motions for each crowd without motions.

    A crowd with a controller plays the clips that the states of the controller name. A crowd without a controller plays
    a walk clip if its actors move, or an idle clip if its actors stay in place. If the rig lacks the walk clip or
    idle clip that the crowd needs, the crowd plays the first clip of the rig.
    """
    crowds = [
        crowd if crowd.has_motions else crowd.model_copy(update={"clips": _own_clips(crowd, rigs[crowd.rig].rig)})
        for crowd in scene.model.crowds
    ]
    return replace(scene, model=scene.model.model_copy(update={"crowds": crowds}))


def with_still_clip(rig: Rig) -> Rig:
    """Return the rig. If the rig has no clips, the returned rig has one clip that shows the rest pose."""
    return rig if rig.clips else replace(rig, clips={STILL: Clip(STILL, rig.skeleton, (), 0.0, 0.0)})


def _own_clips(crowd: CrowdModel, rig: Rig) -> list[ClipModel]:
    states = crowd.controller.states.values() if crowd.controller else ()
    named = [name for name in dict.fromkeys(states) if name in rig.clips]
    return [ClipModel(name=name) for name in named or [_own_clip(crowd, rig)]]


def _own_clip(crowd: CrowdModel, rig: Rig) -> str:
    wanted = ("walk", "run") if crowd.moves else ("idle",)
    found = (usual_clip(role, rig.clips) for role in wanted)
    return next(filter(None, found), None) or next(iter(rig.clips))

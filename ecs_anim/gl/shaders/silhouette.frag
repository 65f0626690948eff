// The pixels that an actor covers. Objects in front of the actor have no effect.
#define SOLID
#include "seen.glsl"

layout(location = 0) out uint covered;

void main() {
    seen_surface();
    covered = 1u;
}

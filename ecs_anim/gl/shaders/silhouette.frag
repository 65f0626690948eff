// The pixels that an actor covers, independent of objects in front.
#define SOLID
#include "seen.glsl"

layout(location = 0) out uint covered;

void main() {
    seen_surface();
    covered = 1u;
}

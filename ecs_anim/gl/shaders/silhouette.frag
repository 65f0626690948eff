// Which pixels an actor covers, whatever is before them.
#define SOLID
#include "seen.glsl"

layout(location = 0) out uint covered;

void main() {
    seen_surface();
    covered = 1u;
}

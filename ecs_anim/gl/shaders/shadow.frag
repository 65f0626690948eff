// Writes only the depth. Sunlight passes through holes of alpha masks and through omitted samples of other surfaces.
#include "seen.glsl"

void main() {
    seen_surface();
}

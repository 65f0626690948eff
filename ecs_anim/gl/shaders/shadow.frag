// Writes only the depth. Holes of masks, and omitted samples of other surfaces, let the sunlight pass.
#include "seen.glsl"

void main() {
    seen_surface();
}

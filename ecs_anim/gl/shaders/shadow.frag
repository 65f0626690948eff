// The depth is all there is to write; holes in a cut-out surface, and what is missing of others, let the sun through.
#include "seen.glsl"

void main() {
    seen_surface();
}

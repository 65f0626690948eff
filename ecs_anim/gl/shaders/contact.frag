// This shader darkens the ground: a dark disc directly below the body, and a faint soft streak away from the sun.
in vec2 from_feet;
flat in float reach;
flat in float below;
flat in float streak;

out vec4 color;

void main() {
    float along = clamp(from_feet.x, 0.0, reach);
    float gone = along / max(reach, 1e-4);
    vec2 off = vec2(from_feet.x - along, from_feet.y);
    float drawn_out = max(1.0 - dot(off, off) / 0.8, 0.0) * (1.0 - gone);
    float disc = max(1.0 - dot(from_feet, from_feet) / 2.2, 0.0);
    float dark = streak * drawn_out + below * disc * disc;
    color = vec4(1.0 - dark * vec3(0.95, 0.945, 0.93), 1.0);
}

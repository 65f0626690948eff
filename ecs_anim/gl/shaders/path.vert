// A ribbon on the ground.
#include "light.glsl"

layout(location = 0) in vec3 position;  // [m]
layout(location = 1) in vec3 color;     // linear RGB

flat out vec3 shown;

void main() {
    shown = mix(color, frame.horizon_color.rgb, fog_amount(position));
    gl_Position = frame.view_projection * vec4(position, 1.0);
}

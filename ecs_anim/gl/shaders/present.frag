// This shader draws a picture to a framebuffer that does not encode sRGB. Therefore, the shader itself encodes sRGB.
uniform sampler2D picture;

in vec2 uv;

out vec4 color;

void main() {
    vec3 linear = texture(picture, uv).rgb;
    vec3 curved = 1.055 * pow(max(linear, 0.0031308), vec3(1.0 / 2.4)) - 0.055;
    color = vec4(mix(12.92 * linear, curved, vec3(greaterThan(linear, vec3(0.0031308)))), 1.0);
}

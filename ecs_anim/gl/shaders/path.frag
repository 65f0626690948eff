// A ribbon has one colour, without light and shadows.
flat in vec3 shown;

out vec4 color;

void main() {
    color = vec4(shown, 1.0);
}

// The visible side of a surface at a fragment. MIRRORS: the pose can mirror a mesh and reverse the winding of its
// triangles (glTF 2.0, section 3.7.4). KEEPS_FRONT, KEEPS_BACK: the fragment shader culls such a mesh, because OpenGL
// cannot cull it.
#ifdef MIRRORS
flat in int mirrored;

bool is_front() {
    return gl_FrontFacing != (mirrored == 1);
}
#else
bool is_front() {
    return gl_FrontFacing;
}
#endif

void cull() {
#if defined(KEEPS_FRONT)
    if (!is_front()) discard;
#elif defined(KEEPS_BACK)
    if (is_front()) discard;
#endif
}

// Which side of a surface a fragment belongs to. MIRRORS: the pose may mirror a mesh, whose triangles then wind the other
// way (glTF 2.0, section 3.7.4). KEEPS_FRONT, KEEPS_BACK: the pipeline cannot cull such a mesh, so fragments do.
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

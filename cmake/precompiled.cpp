// What carries the precompiled header (TIRX_PCH); the objects of all layers use it.

// Who fills the registry: one function per file of built-ins.
#pragma once

namespace tirx::dsl {

class Registry;

void register_python(Registry& registry);             // len, range, min, …
void register_python_containers(Registry& registry);  // methods of str, list, dict, tuple
void register_math(Registry& registry);               // math.*
void register_functions(Registry& registry);          // T.prim_func, T.jit, T.inline, …
void register_types(Registry& registry);              // dtypes, casts, annotations
void register_scalars(Registry& registry);            // T.exp, T.min, T.Select, …
void register_buffers(Registry& registry);            // T.match_buffer, T.alloc_…, methods, views
void register_loops(Registry& registry);              // T.serial, T.grid, …
void register_scopes(Registry& registry);             // T.device_entry, T.cta_id, T.launch_thread
void register_machine(Registry& registry);            // T.cuda.*, T.tvm_…
void register_ptx(Registry& registry);                // T.ptx
void register_pipeline(Registry& registry);           // tvm.tirx.lang.pipeline
void register_tile_ops(Registry& registry);           // Tx.*
void register_layouts(Registry& registry);            // S, R, TileLayout, …
void register_imports(Registry& registry);            // which paths name which modules

}  // namespace tirx::dsl

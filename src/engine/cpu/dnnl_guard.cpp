/* The module epochcast-dnnl.so: see dnnl_guard.h. */
#include "engine/cpu/dnnl_guard.h"

#include <new>
#include <oneapi/dnnl/dnnl.h>

#include "foreign.h"

namespace
{

enum place {
#define PLACE(name) PLACE_##name,
    EC_LIBDNNL(PLACE)
#undef PLACE
        N_PLACES
};

void (*begin_call)();
void (*end_call)();

struct call_marked {
    call_marked()
    {
        begin_call();
    }
    ~call_marked()
    {
        end_call();
    }
};

/* One that returns no status allocates nothing, and stays as it is. */
template <int Place, typename Function> struct guard {
    static void put(void **)
    {
    }
};

template <int Place, typename... Args> struct guard<Place, dnnl_status_t(Args...)> {
    static dnnl_status_t (*real)(Args...);

    static dnnl_status_t call(Args... args)
    {
        call_marked mark;

        try {
            return real(args...);
        } catch (const std::bad_alloc &) {
            return dnnl_out_of_memory;
        } catch (...) {
            return dnnl_runtime_error;
        }
    }

    static void put(void **slot)
    {
        real = reinterpret_cast<dnnl_status_t (*)(Args...)>(*slot);
        *slot = reinterpret_cast<void *>(call);
    }
};

template <int Place, typename... Args>
dnnl_status_t (*guard<Place, dnnl_status_t(Args...)>::real)(Args...);

} // namespace

extern "C" __attribute__((visibility("default"))) ec_dnnl_guard_fn ec_dnnl_guard;

extern "C" int ec_dnnl_guard(int abi, int n_slots, void **slots, void (*begin)(), void (*end)())
{
    if (abi != EC_DNNL_GUARD_ABI || n_slots != N_PLACES)
        return 0;
    begin_call = begin;
    end_call = end;
#define PUT(name) guard<PLACE_##name, decltype(name)>::put(&slots[PLACE_##name]);
    EC_LIBDNNL(PUT)
#undef PUT
    return 1;
}

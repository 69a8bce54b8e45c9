# `pip install ./python`: LibTorch is that of the Python that is installed into. With pip's build
# isolation its torch cannot be imported, but its folder is known all the same.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(NOT SUPN_LIBTORCH AND NOT DEFINED ENV{SUPN_LIBTORCH})
  if(NOT EXISTS ${Python3_SITELIB}/torch/lib/libtorch_cpu.so)
    message(FATAL_ERROR "${Python3_EXECUTABLE} has no torch in ${Python3_SITELIB}. Install torch >= 2.7 \
there first (pip install torch), or name its folder: SUPN_LIBTORCH=<folder of torch> pip install ./python")
  endif()
  set(SUPN_LIBTORCH ${Python3_SITELIB}/torch)
endif()

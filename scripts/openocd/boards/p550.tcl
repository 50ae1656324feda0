# HiFive Premier P550 (EIC7700X): the encoders of its four harts, and the funnel, whose sink is
# system memory.  After hartscope.tcl; then for example, with memory that Linux leaves free,
#
#   hartscope setup ntrace -smem 0x490000000 0x10000000 -set {tsEnable 1 tsBranch 3}
#
# On the host: hartscope list --config p550.layout --registers capture.regs ... capture.trace
hartscope find 0x100000 0x101000 0x102000 0x103000 0x18000

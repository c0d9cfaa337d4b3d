/** Numbers of the system calls that a filter speaks about, on one kind of machine. */
export interface CallTable {
  /** `AUDIT_ARCH_*` of linux/audit.h. */
  readonly arch: number
  /** Whether numbers with bit 30 set are another calling convention of the same machine. */
  readonly hasX32: boolean
  /** Refused with EPERM, whatever the arguments. */
  readonly refused: readonly number[]
  /** Their arguments lie in memory and cannot be judged: ENOSYS, upon which libraries use others. */
  readonly unknown: readonly number[]
  readonly clone: number
  readonly ioctl: number
  readonly socket: number
  readonly socketpair: number
  /** Calls that set the mode of a file that exists, with the index of the mode. */
  readonly setMode: readonly (readonly [call: number, mode: number])[]
  /** Calls that create a file when their flags say so, with the indexes of flags and mode. */
  readonly open: readonly (readonly [call: number, flags: number, mode: number])[]
}

// The same number on every kind of machine: new mount calls, io_uring, pidfd_getfd, process_madvise,
// quotactl_fd, memfd_secret, open_tree_attr.
const NEW_CALLS = [
  425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 447, 467,
] as const
// clone3, openat2, fchmodat2.
const UNKNOWN = [435, 437, 452] as const

const X64: CallTable = {
  arch: 0xc000003e,
  hasX32: true,
  refused: [
    ...NEW_CALLS,
    101, // ptrace
    310, // process_vm_readv
    311, // process_vm_writev
    312, // kcmp
    321, // bpf
    323, // userfaultfd
    298, // perf_event_open
    248, // add_key
    249, // request_key
    250, // keyctl
    165, // mount
    166, // umount2
    155, // pivot_root
    161, // chroot
    272, // unshare
    308, // setns
    246, // kexec_load
    320, // kexec_file_load
    135, // personality
    154, // modify_ldt
    164, // settimeofday
    227, // clock_settime
    305, // clock_adjtime
    159, // adjtimex
    174, // create_module
    175, // init_module
    313, // finit_module
    176, // delete_module
    167, // swapon
    168, // swapoff
    169, // reboot
    163, // acct
    179, // quotactl
    103, // syslog
    172, // iopl
    173, // ioperm
    170, // sethostname
    171, // setdomainname
    153, // vhangup
    134, // uselib
    180, // nfsservctl
    212, // lookup_dcookie
    303, // name_to_handle_at
    304, // open_by_handle_at
    300, // fanotify_init
    256, // migrate_pages
    279, // move_pages
  ],
  unknown: UNKNOWN,
  clone: 56,
  ioctl: 16,
  socket: 41,
  socketpair: 53,
  setMode: [
    [90, 1], // chmod
    [91, 1], // fchmod
    [268, 2], // fchmodat
    [85, 1], // creat
    [133, 1], // mknod
    [259, 2], // mknodat
  ],
  open: [
    [2, 1, 2], // open
    [257, 2, 3], // openat
  ],
}

const ARM64: CallTable = {
  arch: 0xc00000b7,
  hasX32: false,
  refused: [
    ...NEW_CALLS,
    117, // ptrace
    270, // process_vm_readv
    271, // process_vm_writev
    272, // kcmp
    280, // bpf
    282, // userfaultfd
    241, // perf_event_open
    217, // add_key
    218, // request_key
    219, // keyctl
    40, // mount
    39, // umount2
    41, // pivot_root
    51, // chroot
    97, // unshare
    268, // setns
    104, // kexec_load
    294, // kexec_file_load
    92, // personality
    170, // settimeofday
    112, // clock_settime
    266, // clock_adjtime
    171, // adjtimex
    105, // init_module
    273, // finit_module
    106, // delete_module
    224, // swapon
    225, // swapoff
    142, // reboot
    89, // acct
    60, // quotactl
    116, // syslog
    161, // sethostname
    162, // setdomainname
    58, // vhangup
    42, // nfsservctl
    18, // lookup_dcookie
    264, // name_to_handle_at
    265, // open_by_handle_at
    262, // fanotify_init
    238, // migrate_pages
    239, // move_pages
  ],
  unknown: UNKNOWN,
  clone: 220,
  ioctl: 29,
  socket: 198,
  socketpair: 199,
  setMode: [
    [52, 1], // fchmod
    [53, 2], // fchmodat
    [33, 2], // mknodat
  ],
  open: [[56, 2, 3]], // openat
}

/** The table of a machine by Node's name for it; undefined for one that nobody has written down. */
export function findCallTable(arch: string): CallTable | undefined {
  if (arch === 'x64') return X64
  return arch === 'arm64' ? ARM64 : undefined
}

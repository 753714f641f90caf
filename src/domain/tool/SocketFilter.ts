/**
 * A seccomp filter for commands without network access: they can't create Unix sockets, through which they could speak
 * to any of the user's programs that listen on one (docker, an ssh or gpg agent, dbus, a database, X11), wherever its
 * file lies. A network namespace does not prevent that. Pipes between processes (socketpair) work, except for
 * datagrams: a datagram socket can be connected to a file later (unix(7)). io_uring creates sockets that seccomp does
 * not see (io_uring_prep_socket(3)).
 *
 * Classic BPF over `struct seccomp_data` (linux/seccomp.h): `nr` at 0, `arch` at 4, the low words of arguments at 16 + 8 × n.
 */

interface Machine {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number
  readonly socket: number
  readonly socketpair: number
  /** The first number of the machine's other system calls (x32), which are rejected. */
  readonly foreignCalls?: number
}

/** By Node's name for the architecture; the numbers are those of asm/unistd.h. */
const machines: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, socket: 41, socketpair: 53, foreignCalls: 0x40000000 },
  arm64: { audit: 0xc00000b7, socket: 198, socketpair: 199 }
}

const ioUringSetup = 425

/** linux/bpf_common.h: load a word, jump where equal or not less, and-mask, return. */
const code = { load: 0x20, equal: 0x15, atLeast: 0x35, and: 0x54, end: 0x06 } as const

/** linux/seccomp.h, with EPERM and ENOSYS as errors. */
const action = { allow: 0x7fff0000, notPermitted: 0x00050001, notImplemented: 0x00050026, kill: 0x80000000 } as const

const offset = { number: 0, machine: 4, first: 16, second: 24 } as const
const family = { unix: 1 } as const
/** SOCK_DGRAM and SOCK_RAW, which is the same for Unix sockets; the flags above them are masked. */
const type = { mask: 0xf, datagram: 2, raw: 3 } as const

/** A step; `whenTrue` and `whenFalse` name the step to jump to, by default the next. */
interface Step {
  readonly name?: string
  readonly code: number
  readonly value: number
  readonly whenTrue?: string
  readonly whenFalse?: string
}

const steps = ({ audit, foreignCalls, socket, socketpair }: Machine): ReadonlyArray<Step> => [
  { code: code.load, value: offset.machine },
  { code: code.equal, value: audit, whenFalse: "kill" },
  { code: code.load, value: offset.number },
  ...(foreignCalls === undefined ? [] : [{ code: code.atLeast, value: foreignCalls, whenTrue: "refuse" }]),
  { code: code.equal, value: ioUringSetup, whenTrue: "absent" },
  { code: code.equal, value: socket, whenTrue: "family" },
  { code: code.equal, value: socketpair, whenFalse: "allow" },
  { code: code.load, value: offset.second },
  { code: code.and, value: type.mask },
  { code: code.equal, value: type.datagram, whenTrue: "refuse" },
  { code: code.equal, value: type.raw, whenTrue: "refuse", whenFalse: "allow" },
  { name: "family", code: code.load, value: offset.first },
  { code: code.equal, value: family.unix, whenTrue: "refuse" },
  { name: "allow", code: code.end, value: action.allow },
  { name: "refuse", code: code.end, value: action.notPermitted },
  { name: "absent", code: code.end, value: action.notImplemented },
  { name: "kill", code: code.end, value: action.kill }
]

/**
 * The filter as bubblewrap reads it (`--seccomp`): `struct sock_filter`s, little-endian; undefined for an unsupported architecture.
 */
export const bytes = (machine: string): Uint8Array | undefined => {
  const definition = machines[machine]
  if (definition === undefined) return undefined
  const all = steps(definition)
  const view = new DataView(new ArrayBuffer(all.length * 8))
  for (const [i, step] of all.entries()) {
    const jump = (name: string | undefined): number => name === undefined ? 0 : all.findIndex((one) => one.name === name) - i - 1
    view.setUint16(i * 8, step.code, true)
    view.setUint8(i * 8 + 2, jump(step.whenTrue))
    view.setUint8(i * 8 + 3, jump(step.whenFalse))
    view.setUint32(i * 8 + 4, step.value, true)
  }
  return new Uint8Array(view.buffer)
}

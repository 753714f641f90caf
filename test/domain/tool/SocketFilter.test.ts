/** The filter of system calls, run step by step as the kernel does (bpf(4), seccomp(2)). */
import { assert, describe, it } from "@effect/vitest"
import * as SocketFilter from "../../../src/domain/tool/SocketFilter.ts"

interface Called {
  readonly audit: number
  readonly number: number
  readonly args?: ReadonlyArray<number>
}

const run = (machine: string, { args = [], audit, number }: Called): string => {
  const program = SocketFilter.bytes(machine)!
  const view = new DataView(program.buffer)
  const data = new Map([[0, number], [4, audit], ...[0, 1, 2].map((i) => [16 + 8 * i, args[i] ?? 0] as const)])
  let word = 0
  for (let at = 0;; at++) {
    const [code, jumpTrue, jumpFalse, value] = [view.getUint16(at * 8, true), view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3), view.getUint32(at * 8 + 4, true)]
    if (code === 0x20) word = data.get(value)!
    else if (code === 0x54) word = (word & value) >>> 0
    else if (code === 0x15) at += word === value ? jumpTrue : jumpFalse
    else if (code === 0x35) at += word >= value ? jumpTrue : jumpFalse
    else if (code === 0x06) return { 0x7fff0000: "allowed", 0x00050001: "EPERM", 0x00050026: "ENOSYS", 0x80000000: "killed" }[value] ?? "unknown"
    else throw new Error(`no such code: ${code}`)
  }
}

const x64 = 0xc000003e
const arm64 = 0xc00000b7
const [unix, inet, inet6, netlink] = [1, 2, 10, 16]
const [stream, datagram, raw, packet] = [1, 2, 3, 5]
const flags = 0o2000000 | 0o4000

describe("the filter of system calls", () => {
  it.each<[what: string, called: Called, machine: string, answer: string]>([
    ["a Unix socket", { audit: x64, number: 41, args: [unix, stream | flags] }, "x64", "EPERM"],
    ["a Unix socket on arm64", { audit: arm64, number: 198, args: [unix, datagram] }, "arm64", "EPERM"],
    ["a socket of the network's", { audit: x64, number: 41, args: [inet, stream] }, "x64", "allowed"],
    ["one of IPv6", { audit: arm64, number: 198, args: [inet6, stream] }, "arm64", "allowed"],
    ["one of the kernel's", { audit: x64, number: 41, args: [netlink, raw] }, "x64", "allowed"],
    ["a pair of streams", { audit: x64, number: 53, args: [unix, stream | flags] }, "x64", "allowed"],
    ["a pair of packets", { audit: arm64, number: 199, args: [unix, packet | flags] }, "arm64", "allowed"],
    ["a pair of datagrams", { audit: x64, number: 53, args: [unix, datagram | flags] }, "x64", "EPERM"],
    ["a raw pair", { audit: arm64, number: 199, args: [unix, raw] }, "arm64", "EPERM"],
    ["a ring of io_uring", { audit: x64, number: 425 }, "x64", "ENOSYS"],
    ["a call by a number of x32", { audit: x64, number: 0x40000000 + 41, args: [unix, stream] }, "x64", "EPERM"],
    ["a call of a 32-bit program", { audit: 0x40000003, number: 359, args: [unix, stream] }, "x64", "killed"],
    ["a read", { audit: x64, number: 0 }, "x64", "allowed"],
    ["the last number of all", { audit: arm64, number: 462 }, "arm64", "allowed"]
  ])("answers %s", (_, called, machine, answer) => assert.strictEqual(run(machine, called), answer))

  it("is not known for other machines", () => assert.isUndefined(SocketFilter.bytes("riscv64")))
})

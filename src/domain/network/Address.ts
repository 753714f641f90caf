/**
 * Which IP addresses are public, and which are this machine, its network, or unassigned. The blocks are those of the
 * IANA special-purpose registries (RFC 6890 and its successors); for IPv6 only 2000::/3 is allocated at all.
 */

/** Why an address must not be reached; undefined for a public one. Text that is not an address is not public. */
export const refusal = (address: string): string | undefined => {
  const ipv4 = parse4(address)
  if (ipv4 !== undefined) return refusal4(ipv4)
  const ipv6 = parse6(address)
  return ipv6 === undefined ? "it is not a valid address" : refusal6(ipv6)
}

/** Whether a host is written as an address, with or without brackets. */
export const isAddress = (host: string): boolean => parse4(host) !== undefined || parse6(host) !== undefined

type Block = readonly [network: string, bits: number, why: string]

const blocks4: ReadonlyArray<Block> = [
  ["0.0.0.0", 8, "it means this machine"],
  ["10.0.0.0", 8, "it is private"],
  ["100.64.0.0", 10, "it is private to a provider"],
  ["127.0.0.0", 8, "it is this machine"],
  ["168.63.129.16", 32, "it serves a cloud's own machines"],
  ["169.254.0.0", 16, "it is link-local, where clouds keep their metadata"],
  ["172.16.0.0", 12, "it is private"],
  ["192.0.0.0", 24, "it is reserved for protocols"],
  ["192.0.2.0", 24, "it is reserved for documentation"],
  ["192.88.99.0", 24, "it was reserved for relays"],
  ["192.168.0.0", 16, "it is private"],
  ["198.18.0.0", 15, "it is reserved for benchmarking"],
  ["198.51.100.0", 24, "it is reserved for documentation"],
  ["203.0.113.0", 24, "it is reserved for documentation"],
  ["224.0.0.0", 4, "it is multicast"],
  ["240.0.0.0", 4, "it is reserved"]
]

const refusal4 = (address: number): string | undefined =>
  blocks4.find(([network, bits]) => ((address ^ parse4(network)!) >>> (32 - bits)) === 0)?.[2]

/** Eight groups of sixteen bits. */
type Ipv6Groups = ReadonlyArray<number>

/** What lies in 2000::/3 but is not public. */
const blocks6: ReadonlyArray<Block> = [
  ["2001::", 23, "it is reserved for protocols"],
  ["2001:db8::", 32, "it is reserved for documentation"],
  ["3fff::", 20, "it is reserved for documentation"]
]

const refusal6 = (groups: Ipv6Groups): string | undefined => {
  const inner = embeddedIpv4(groups)
  if (inner !== undefined) return refusal4(inner)
  if (groups.every((group) => group === 0)) return "it means this machine"
  if (groups.slice(0, 7).every((group) => group === 0)) return groups[7] === 1 ? "it is this machine" : "it is reserved"
  if ((groups[0]! & 0xe000) !== 0x2000) return (groups[0]! & 0xff00) === 0xff00 ? "it is multicast" : "it is private or reserved"
  return blocks6.find(([network, bits]) => sharesPrefix(groups, parse6(network)!, bits))?.[2]
}

const sharesPrefix = (a: Ipv6Groups, b: Ipv6Groups, bits: number): boolean =>
  a.every((group, i) => {
    const bitsLeft = Math.min(Math.max(bits - i * 16, 0), 16)
    return bitsLeft === 0 || (group ^ b[i]!) >>> (16 - bitsLeft) === 0
  })

/** The IPv4 address inside an IPv6 address: mapped, translated (NAT64, SIIT), 6to4, ISATAP. */
const embeddedIpv4 = (groups: Ipv6Groups): number | undefined => {
  const last = (groups[6]! << 16 | groups[7]!) >>> 0
  const [a, b, c, d, e, f] = groups
  if (a === 0 && b === 0 && c === 0 && d === 0 && (e === 0 && f === 0xffff || e === 0xffff && f === 0)) return last
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return last
  if (a === 0x2002) return (b! << 16 | c!) >>> 0
  if ((e === 0 || e === 0x200) && f === 0x5efe) return last
  return undefined
}

const parse4 = (text: string): number | undefined => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  return parts === undefined || parts.some((part) => part > 255) ? undefined : parts.reduce((sum, part) => sum * 256 + part, 0)
}

/** RFC 4291, with brackets, a zone and a dotted end allowed. */
const parse6 = (text: string): Ipv6Groups | undefined => {
  const [, address = ""] = /^\[?([\da-f:.]+)(?:%[\w%.-]+)?\]?$/i.exec(text) ?? []
  if (!address.includes(":")) return undefined
  const dottedTail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)
  const ipv4 = dottedTail === null ? undefined : parse4(dottedTail[2]!)
  if (dottedTail !== null && ipv4 === undefined) return undefined
  const expanded = dottedTail === null ? address : `${dottedTail[1]}${(ipv4! >>> 16).toString(16)}:${(ipv4! & 0xffff).toString(16)}`
  const [left = "", right, extra] = expanded.split("::")
  if (extra !== undefined) return undefined
  const groups = (part: string) => part === "" ? [] : part.split(":")
  const [head, tail] = [groups(left), groups(right ?? "")]
  const missingGroups = 8 - head.length - tail.length
  if (right === undefined ? missingGroups !== 0 : missingGroups < 1) return undefined
  const allGroups = [...head, ...Array.from({ length: missingGroups }, () => "0"), ...tail]
  return allGroups.every((group) => /^[\da-f]{1,4}$/i.test(group)) ? allGroups.map((group) => Number.parseInt(group, 16)) : undefined
}

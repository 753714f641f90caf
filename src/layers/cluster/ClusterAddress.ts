/** Addresses of runners: `host:port`. */
import { RunnerAddress } from "effect/cluster/RunnerAddress"

/** Undefined if the text is not `host:port` or `[IPv6]:port`, with a port from 1 to 65535. */
export const parse = (text: string): RunnerAddress | undefined => {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? []
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined
  return RunnerAddress.make({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}

/** Where `dacapo serve` listens: on this machine alone, or on one named interface with TLS or with the statement that it may be without. */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { isIPv6 } from "node:net"
import { resolve } from "node:path"
import type { Values } from "../args/Flags.ts"
import { InputError, UsageError } from "../process/CliError.ts"

/**
 * `host` is what the socket binds; `names` are what a request may call it in its `Host`. `tls` are the PEM texts. `isExposed`: other
 * machines can connect without TLS.
 */
export interface ServeAddress {
  readonly host: string
  readonly names: ReadonlyArray<string>
  readonly protocol: "http" | "https"
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly isExposed: boolean
}

const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]", "*"])

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The address that the flags name; files are relative to `cwd`. */
export const resolveAddress = Effect.fnUntraced(function*(
  { host: name = "127.0.0.1", insecureHttp, tlsCert, tlsKey }: Pick<Values, "host" | "insecureHttp" | "tlsCert" | "tlsKey">,
  cwd: string
): Effect.fn.Return<ServeAddress, InputError | UsageError> {
  const host = name.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  if (wildcards.has(host) || wildcards.has(name)) {
    return yield* new UsageError({
      message:
        `--host ${name} means every interface, and requests must name the server exactly. Name the address or host name that clients use.`
    })
  }
  if (!/^[\w.:-]+$/.test(host)) return yield* new UsageError({ message: `"${name}" is not a valid address or host name for --host.` })
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    return yield* new UsageError({ message: "--tls-cert and --tls-key go together: name the certificate and its private key." })
  }
  const isExposed = tlsCert === undefined && !isLoopback(host)
  if (isExposed && insecureHttp !== true) {
    return yield* new UsageError({
      message: `Without TLS everyone on the network of ${name} could read the token. Name a certificate with --tls-cert and --tls-key, ` +
        "or accept that with --insecure-http."
    })
  }
  const named = isIPv6(host) ? `[${host}]` : host
  const names = host === "127.0.0.1" || host === "localhost" ? [host, host === "localhost" ? "127.0.0.1" : "localhost"] : [named]
  if (tlsCert === undefined || tlsKey === undefined) return { host, names, protocol: "http", isExposed }
  const [cert, key] = yield* Effect.all([readPem(cwd, tlsCert, "certificate"), readPem(cwd, tlsKey, "private key")])
  return { host, names, protocol: "https", tls: { cert, key }, isExposed }
})

const readPem = (cwd: string, file: string, what: string) =>
  Effect.tryPromise({
    try: () => readFile(resolve(cwd, file), "utf8"),
    catch: (error) =>
      new InputError({ message: `Can't read the ${what} ${file}: ${(error as NodeJS.ErrnoException).code ?? String(error)}.` })
  })

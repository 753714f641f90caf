/** A definition prepared for starting: its variables filled in, its program located. */
import * as Result from "effect/Result"
import { delimiter, resolve } from "node:path"
import * as Definition from "../../domain/mcp/Definition.ts"
import * as Start from "../../domain/mcp/Start.ts"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import { ofJson } from "../storage/Digest.ts"
import * as ServerProgram from "./ServerProgram.ts"

/** `transport` is expanded, with the program's own path; `start` is what people approve. */
export interface ResolvedStart {
  readonly start: Start.ServerStart
  readonly transport: Definition.Transport
}

/** A failure names the variable that is not set. */
export const resolveStart = (
  definition: Definition.Definition,
  folder: string,
  variables: CommandEnvironment.Variables
): Result.Result<ResolvedStart, string> =>
  Result.map(Definition.expandVariables(definition.transport, variables), (transport) => {
    if (transport._tag === "Program") return { start: { definition, program: undefined, cwd: folder, origin: undefined }, transport }
    if (transport._tag !== "Stdio")
      return { start: { definition, program: undefined, cwd: folder, origin: originOf(transport.url) }, transport }
    const cwd = resolve(folder, transport.cwd ?? ".")
    const { PATH: path } = environment(transport, folder, variables)
    const program = ServerProgram.find(transport.command, { cwd, folder, path })
    return {
      start: { definition, program, cwd, origin: undefined },
      transport: { ...transport, cwd, command: program?.path ?? transport.command }
    }
  })

/** The hash of everything that determines what starts: what an approval is bound to. */
export const hash = (definition: Definition.Definition, folder: string, variables: CommandEnvironment.Variables): string => {
  const result = resolveStart(definition, folder, variables)
  return ofJson(Result.isFailure(result) ? definition : Start.approvalParts(result.success.start, folder))
}

/** The environment of a local server: the user's without secrets and without programs of the folder, plus its own variables. */
export const environment = (
  { env }: Extract<Definition.Transport, { readonly _tag: "Stdio" }>,
  folder: string,
  variables: CommandEnvironment.Variables
): Record<string, string> => ({
  ...CommandEnvironment.scrub(variables),
  PATH: ServerProgram.entries(variables["PATH"], folder).join(delimiter),
  ...env
})

const originOf = (url: string): string | undefined => URL.canParse(url) ? new URL(url).origin : undefined

/** list_files: what is in a folder, breadth first. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { define } from "../../services/Tool.ts"
import { Workspace, type FileInfo, type FileEntry } from "../../services/Workspace.ts"

const limit = 200
const maxDepth = 20

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The folder; `.` is the working directory." }),
  recursive: Schema.optionalKey(Schema.Boolean.annotate({ description: "Also list subfolders." })),
  max_depth: Schema.optionalKey(Schema.Int.annotate({ description: "Maximum depth." }))
})

export const ListFiles = define({
  name: "list_files",
  description: "List a folder, top levels first, without ignored files. At most 200 entries.",
  params,
  plain: ["path", "recursive", "max_depth"],
  aliases: ["ls", "list_dir", "list_directory"],
  paramAliases: { dir: "path", directory: "path", folder: "path", dir_path: "path", depth: "max_depth" },
  accept: (raw) => raw.path === undefined || raw.path === "" ? { ...raw, path: "." } : raw,
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.relativePath(cwd, path))],
  run: Effect.fn("list_files")(function*({ max_depth, path, recursive }) {
    const workspace = yield* Workspace
    const depth = Math.max(1, max_depth ?? (recursive === true ? maxDepth : 1))
    return yield* workspace.list(path, { depth, limit }).pipe(
      Effect.map(({ isTruncated, entries }) =>
        Outcome.succeeded(
          entries.length === 0 ? `${path} is empty.` : [
            ...entries.map(entryLine),
            ...(isTruncated ? [`[Only the first ${entries.length} entries are shown. List a subfolder to see more.]`] : [])
          ].join("\n")
        )
      ),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})

const marks: Readonly<Record<FileInfo["kind"], string>> = { file: "", directory: "/", link: "@", other: " (special)" }

const entryLine = ({ kind, path }: FileEntry): string => `${path}${marks[kind]}`

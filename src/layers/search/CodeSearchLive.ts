/**
 * Code search over an index in the cache folder, brought up to date before each search: only files that changed are read again, and only
 * their chunks are embedded. Files that are closed to the session are neither indexed by it nor shown to it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as Languages from "../../domain/definitions/Languages.ts"
import * as CodeChunks from "../../domain/search/CodeChunks.ts"
import type { CodeSearchSettings } from "../../domain/search/SearchSettings.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Definitions } from "../../services/Definitions.ts"
import { Environment } from "../../services/Environment.ts"
import { CodeSearch, CodeSearchError, type CodeHit } from "../../services/lookup/CodeSearch.ts"
import { ReadPolicy } from "../../services/ReadPolicy.ts"
import { Workspace } from "../../services/Workspace.ts"
import { sha256 } from "../storage/Digest.ts"
import * as PrivateFolder from "../storage/PrivateFolder.ts"
import * as CodeIndex from "./CodeIndex.ts"
import * as Embeddings from "./Embeddings.ts"

/**
 * Limits: files of a folder, bytes of a file (larger ones are generated), chunks of an index that are compared one by one, chunks that
 * one search embeds, ranks of each list.
 */
const limits = { files: 50_000, bytes: 400_000, exact: 50_000, embedded: 2_000, ranks: 100 }

/** Endings of texts besides source files whose definitions are known. */
const texts = /\.(?:md|mdx|txt|rst|json|jsonc|ya?ml|toml|css|scss|html|sql|sh|graphql|proto|vue|svelte)$|(?:^|\/)(?:Dockerfile|Makefile)$/

type Embedder = Effect.Success<ReturnType<typeof Embeddings.make>>

type Requirements = Definitions | Environment | Workspace

export const layer = (settings: CodeSearchSettings): Layer.Layer<never, never, Requirements> =>
  Layer.effect(
    CodeSearch,
    Effect.gen(function*() {
      const services = yield* Effect.context<Requirements>()
      const { folders } = Context.get(services, Environment)
      const workspace = Context.get(services, Workspace)
      const [root = "/"] = workspace.roots
      const embeddings = typeof settings === "object" && settings.embeddings !== undefined ? yield* Embeddings.make(settings.embeddings)
        : undefined
      const lock = yield* Semaphore.make(1)
      const attempt = <A>(run: () => A) =>
        Effect.try({
          try: run,
          catch: (cause) => new CodeSearchError({ message: `The index of code search can't be used: ${(cause as Error).message}` })
        })
      const scope = yield* Effect.scope
      const opened = yield* Effect.cached(
        Effect.acquireRelease(
          attempt(() => {
            const folder = join(folders.cache, "code-search")
            PrivateFolder.make(folder)
            return CodeIndex.open(join(folder, `${sha256(root).slice(0, 16)}.sqlite`))
          }),
          (index) => Effect.sync(() => index.close())
        ).pipe(Effect.provideService(Scope.Scope, scope))
      )

      /** The file's current version if the session may read it and it is a text that people write. */
      const versionOf = Effect.fnUntraced(function*(path: string) {
        if (Languages.of(path) === undefined && !texts.test(path)) return undefined
        const { refusal } = yield* ReadPolicy
        const target = yield* Effect.option(workspace.resolve(path))
        if (target._tag === "None" || refusal(`${root}/${path}`, target.value) !== undefined) return undefined
        const info = yield* Effect.option(workspace.stat(path))
        return info._tag === "Some" && info.value.kind === "file" && info.value.size <= limits.bytes ? info.value.version : undefined
      })

      const chunksOf = Effect.fnUntraced(function*(path: string) {
        const { text } = yield* workspace.readText(path)
        const language = Languages.of(path)
        const definitions = language === undefined ? []
          : yield* Effect.orElseSucceed(Context.get(services, Definitions).of(language, text.replace(/^\uFEFF/, "")), () => [])
        return CodeChunks.split(text, definitions)
      })

      /** Brings the index up to date with the files that the session may read; others of the index stay as they are. */
      const update = Effect.fnUntraced(function*(index: CodeIndex.CodeIndex) {
        const paths = (yield* workspace.names(limits.files)).filter((path) => !path.endsWith("/"))
        const stored = yield* attempt(index.versions)
        const current = new Map<string, string>()
        yield* Effect.forEach(paths, (path) =>
          Effect.map(versionOf(path), (version) => version !== undefined && current.set(path, version)), {
          concurrency: 16,
          discard: true
        })
        const listed = new Set(paths)
        yield* attempt(() =>
          index.remove([...stored.keys()].filter((path) =>
            !listed.has(path)
          ))
        )
        for (const [path, version] of current) {
          if (stored.get(path) === version) continue
          const chunks = yield* Effect.result(chunksOf(path))
          // A file that can't be read as text has no chunks, and is not tried again until it changes.
          yield* attempt(() => index.replace(path, version, Result.isSuccess(chunks) ? chunks.success : []))
        }
        return paths.length >= limits.files ? [`Only ${limits.files} files were searched.`] : []
      })

      /** Embeds chunks that have no vector yet, up to a limit per search. */
      const embedMissing = Effect.fnUntraced(function*(index: CodeIndex.CodeIndex, { embed, maxTexts, name }: Embedder) {
        for (let done = 0; done < limits.embedded; done += maxTexts) {
          const chunks = yield* attempt(() => index.withoutVector(name, maxTexts))
          if (chunks.length === 0) return
          const vectors = yield* embed(chunks.map(({ path, text }) => `${path}\n${text}`), "document")
          yield* attempt(() => index.setVectors(name, chunks.map(({ id }, i) => [id, vectors[i]!] as const)))
        }
      })

      /** By meaning; a note instead where that is not possible now. */
      const nearest = Effect.fnUntraced(function*(index: CodeIndex.CodeIndex, query: string) {
        if (embeddings === undefined) return { ids: [], notes: [] }
        if ((yield* attempt(index.count)) > limits.exact)
          return { ids: [], notes: [`Searched by words alone: the index has more than ${limits.exact} parts.`] }
        yield* embedMissing(index, embeddings)
        const missing = yield* attempt(() => index.countWithoutVector(embeddings.name))
        const [vector] = yield* embeddings.embed([query], "query")
        const ids = vector === undefined ? [] : yield* attempt(() => index.byVector(embeddings.name, vector, limits.ranks))
        return { ids, notes: missing === 0 ? [] : [`${missing} parts have no embedding yet: the next searches compute them.`] }
      })

      const search = Effect.fn("CodeSearch.search")(function*(query: string, folder: string, limit: number) {
        const index = yield* opened
        const notes = yield* update(index)
        const byWords = yield* attempt(() => index.byWords(CodeChunks.queryWords(query), limits.ranks))
        const byMeaning = yield* nearest(index, query).pipe(
          Effect.catch(({ message }) => Effect.succeed({ ids: [], notes: [`Searched by words alone. ${message}`] }))
        )
        const inside = PathName.relativePath(root, folder)
        const { refusal } = yield* ReadPolicy
        const hits: Array<CodeHit> = []
        for (const id of CodeChunks.fuse([byWords, byMeaning.ids])) {
          if (hits.length === limit) break
          const chunk = yield* attempt(() => index.chunk(id))
          if (chunk === undefined || inside !== "." && chunk.path !== inside && !chunk.path.startsWith(`${inside}/`)) continue
          // The index may hold files that another session could read.
          const target = yield* Effect.option(workspace.resolve(chunk.path))
          if (target._tag === "None" || refusal(`${root}/${chunk.path}`, target.value) !== undefined) continue
          const { end, path, start, text } = chunk
          hits.push({ path, start, end, text })
        }
        return { hits, notes: [...notes, ...byMeaning.notes] }
      })

      return { search: (query, folder, limit) => lock.withPermits(1)(search(query, folder, limit)) }
    })
  )

/** What we answer to the questions of servers. */
import type { Client } from "@modelcontextprotocol/client"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"

/** The folders that the user opened. */
export const roots = (folders: ReadonlyArray<string>) => (client: Client): void =>
  client.setRequestHandler("roots/list", () => ({ roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) }))

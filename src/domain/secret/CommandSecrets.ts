/** Passwords on command lines, by the programs whose options and operands take them. */
import type { SecretMatch } from "./LooksSecret.ts"
import { isPlaceholder } from "./LooksSecret.ts"

/** Programs, as an expression, and what precedes a password after them. */
interface Usage {
  readonly program: string
  readonly prefix: string
}

/** The value of an option, as a separate word; a quote other than the opening one is part of it. */
const separateOption = (options: string): string => `[ \\t](?:${options})[ \\t=]+["']?`
const attachedOption = (options: string): string => `[ \\t]["']?(?:${options})["']?`
const userOption = (options: string, sign: string): string => `[ \\t](?:${options})[ \\t=]*["']?[^\\s"'${sign}]+${sign}`

const usages: ReadonlyArray<Usage> = [
  { program: "mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|mycli", prefix: attachedOption("-p") },
  { program: "7z|7za|7zr|7zz|rar|unrar", prefix: attachedOption("-h?p") },
  { program: "mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|twine", prefix: separateOption("-p") },
  { program: "(?:docker|podman|nerdctl|buildah|skopeo|oras|az|oc|argocd|helm registry|az acr)[ \\t]+login", prefix: separateOption("-p") },
  { program: "sshpass", prefix: `[ \\t]-p[ \\t]*["']?` },
  { program: "redis-cli|valkey-cli", prefix: separateOption("-a|--pass") },
  { program: "sqlcmd|bcp|zip|unzip", prefix: separateOption("-P") },
  { program: "ldapsearch|ldapadd|ldapmodify|ldapdelete|ldappasswd|ldapwhoami", prefix: separateOption("-w|-s") },
  { program: "smbclient|rpcclient", prefix: userOption("-U", "%") },
  { program: "curl|wget|http|https|xh|aria2c", prefix: userOption("-u|--user|-a|--auth", ":") },
  { program: "keytool|jarsigner", prefix: separateOption("-(?:src|dest|new)?(?:store|key)pass") },
  { program: "openssl", prefix: `[ \\t]-pass(?:in|out)?[ \\t]+["']?pass:` },
  { program: "htpasswd", prefix: `[ \\t]-[a-zA-Z]*b[a-zA-Z]*[ \\t]+[^\\s-]\\S*[ \\t]+\\S+[ \\t]+["']?` },
  { program: "rabbitmqctl", prefix: `[ \\t](?:add_user|change_password)[ \\t]+\\S+[ \\t]+["']?` },
  {
    program: "machine|login",
    prefix: `[ \\t\\r\\n]+(?:\\S{1,200}[ \\t\\r\\n]+login[ \\t\\r\\n]+)?\\S{1,200}[ \\t\\r\\n]+password[ \\t\\r\\n]+`
  }
]

const programs = new RegExp(`(?<![\\w.-])(?:${usages.map(({ program }) => `(${program})`).join("|")})(?=\\s)`, "g")

/** The option need not be the first one; whatever ends a command ends the search. */
const heads = usages.map(({ prefix }) => new RegExp(`^[^\\n|;&]{0,400}?${prefix}`))

/** A password piped to a program's input. */
const pipedPattern =
  /(?<![\w-])(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?["']?(?:[\w.-]{1,60}:(?=[^"'|\n]{3,200}["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd))?([^\s"'|]{3,200})["']?[ \t]*\|[^\n|;&]{0,200}?(?:--password-stdin|--with-token|--token-stdin|--stdin-password|passwd --stdin|sudo -S|chpasswd)/g

/** Every password of a command line. */
export const find = (text: string): ReadonlyArray<SecretMatch> => [...findInArguments(text), ...findInPipes(text)]

const findInArguments = function*(text: string): Generator<SecretMatch> {
  let from = 0
  for (const match of text.matchAll(programs)) {
    if (match.index < from) continue
    const start = match.index + match[0].length
    const window = text.slice(start, start + 1024)
    const head = heads[match.findIndex((group, i) => i > 0 && group !== undefined) - 1]!.exec(window)?.[0]
    const value = head === undefined ? undefined : /^[^\s"']{3,200}/.exec(window.slice(head.length))?.[0]
    if (head === undefined || value === undefined || !isPassword(value)) continue
    from = start + head.length + value.length
    yield { kind: "password", start: from - value.length, end: from }
  }
}

const findInPipes = function*(text: string): Generator<SecretMatch> {
  for (const { 0: match, 1: value = "", index } of text.matchAll(pipedPattern)) {
    const start = index + match.indexOf(value)
    if (isPassword(value)) yield { kind: "password", start, end: start + value.length }
  }
}

const isPassword = (value: string): boolean => !/^[-$<{[(]/.test(value) && !isPlaceholder(value)

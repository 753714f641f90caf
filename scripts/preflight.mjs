/** Reports an outdated Node in one sentence, before a test run fails in many ways. */
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`dacapo needs Node 22.19 or newer; this is ${process.version}. Run \`npm ci\` and then the npm scripts: they use the Node that it installs.`)
  process.exit(1)
}

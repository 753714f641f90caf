/** JSON Schema's own validators, loaded when a schema is given. A file of its own: a bundled CommonJS package gives its names to static imports alone. */
export { Ajv } from "ajv"
export { Ajv2020 } from "ajv/dist/2020.js"

/** The JSON Schema validators, loaded on demand. A separate module, because a bundled CommonJS package needs static imports. */
export { Ajv } from "ajv"
export { Ajv2020 } from "ajv/dist/2020.js"

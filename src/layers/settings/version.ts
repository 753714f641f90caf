/** The version that a log and a bug report name; a test holds it to package.json. */
export const version = "0.1.0"

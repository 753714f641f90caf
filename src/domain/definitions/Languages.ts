/**
 * The languages whose definitions can be listed: the file endings that identify each, the tree-sitter grammar that
 * parses it, and a tree-sitter query that finds its definitions. A query captures a definition as `@type` (which may
 * contain others: a class, a module, a trait) or as `@function` (whose inside is not listed), and in it the `@name`,
 * whose line is shown.
 */
export interface Language {
  readonly name: string
  /** File name endings without the dot, lower case. */
  readonly extensions: ReadonlyArray<string>
  /** `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string
  readonly query: string
}

/** `(node name: (_) @name) @kind` for each node. */
const namedNodes = (kind: "type" | "function", ...nodes: ReadonlyArray<string>): string =>
  nodes.map((node) => `(${node} name: (_) @name) @${kind}`).join("\n")

const functionValues = `(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function`

const javascript = [
  namedNodes("type", "class_declaration"),
  namedNodes("function", "function_declaration", "generator_function_declaration", "method_definition"),
  functionValues
].join("\n")

const typescript = [
  namedNodes(
    "type",
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "enum_declaration",
    "internal_module",
    "module"
  ),
  namedNodes(
    "function",
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "method_definition",
    "abstract_method_signature",
    "type_alias_declaration"
  ),
  functionValues
].join("\n")

/** A C declarator may be wrapped in pointers and references before the function's name. */
const cFunctions = [
  `(function_definition declarator: (function_declarator declarator: (_) @name)) @function`,
  `(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function`
]
const cTypes = ["struct_specifier", "union_specifier", "enum_specifier"].map((node) => `(${node} name: (_) @name body: (_)) @type`)

export const languages: ReadonlyArray<Language> = [
  { name: "JavaScript", extensions: ["js", "jsx", "mjs", "cjs"], grammar: "javascript", query: javascript },
  { name: "TypeScript", extensions: ["ts", "mts", "cts"], grammar: "typescript", query: typescript },
  { name: "TSX", extensions: ["tsx"], grammar: "tsx", query: typescript },
  {
    name: "Python",
    extensions: ["py", "pyi"],
    grammar: "python",
    query: [namedNodes("type", "class_definition"), namedNodes("function", "function_definition")].join("\n")
  },
  {
    name: "Go",
    extensions: ["go"],
    grammar: "go",
    query: [namedNodes("type", "type_spec", "type_alias"), namedNodes("function", "function_declaration", "method_declaration")].join("\n")
  },
  {
    name: "Rust",
    extensions: ["rs"],
    grammar: "rust",
    query: [
      namedNodes("type", "struct_item", "enum_item", "union_item", "trait_item", "mod_item"),
      `(impl_item type: (_) @name) @type`,
      namedNodes("function", "function_item", "function_signature_item", "macro_definition", "type_item")
    ].join("\n")
  },
  {
    name: "Java",
    extensions: ["java"],
    grammar: "java",
    query: [
      namedNodes(
        "type",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration"
      ),
      namedNodes("function", "method_declaration", "constructor_declaration")
    ].join("\n")
  },
  {
    name: "C",
    extensions: ["c", "h"],
    grammar: "c",
    query: [...cTypes, ...cFunctions, `(type_definition declarator: (type_identifier) @name) @type`].join("\n")
  },
  {
    name: "C++",
    extensions: ["cpp", "cc", "cxx", "hpp", "hh", "hxx"],
    grammar: "cpp",
    query: [
      ...cTypes,
      `(class_specifier name: (_) @name body: (_)) @type`,
      namedNodes("type", "namespace_definition", "concept_definition"),
      ...cFunctions,
      `(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function`,
      `(field_declaration declarator: (function_declarator declarator: (_) @name)) @function`,
      `(alias_declaration name: (_) @name) @function`
    ].join("\n")
  },
  {
    name: "C#",
    extensions: ["cs"],
    grammar: "c_sharp",
    query: [
      namedNodes(
        "type",
        "namespace_declaration",
        "file_scoped_namespace_declaration",
        "class_declaration",
        "interface_declaration",
        "struct_declaration",
        "record_declaration",
        "enum_declaration"
      ),
      namedNodes("function", "method_declaration", "constructor_declaration", "property_declaration", "delegate_declaration")
    ].join("\n")
  },
  {
    name: "Ruby",
    extensions: ["rb", "rake"],
    grammar: "ruby",
    query: [namedNodes("type", "class", "module"), namedNodes("function", "method", "singleton_method")].join("\n")
  },
  {
    name: "PHP",
    extensions: ["php"],
    grammar: "php",
    query: [
      namedNodes("type", "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"),
      namedNodes("function", "function_definition", "method_declaration")
    ].join("\n")
  },
  {
    name: "Kotlin",
    extensions: ["kt", "kts"],
    grammar: "kotlin",
    query: [namedNodes("type", "class_declaration", "object_declaration"), namedNodes("function", "function_declaration")].join("\n")
  },
  {
    name: "Swift",
    extensions: ["swift"],
    grammar: "swift",
    query: [
      namedNodes("type", "class_declaration", "protocol_declaration"),
      namedNodes("function", "function_declaration", "protocol_function_declaration", "typealias_declaration"),
      `(init_declaration "init" @name) @function`
    ].join("\n")
  },
  {
    name: "Dart",
    extensions: ["dart"],
    grammar: "dart",
    query: [
      namedNodes("type", "class_definition", "enum_declaration", "extension_declaration"),
      `(mixin_declaration (identifier) @name) @type`,
      namedNodes("function", "function_signature", "getter_signature", "setter_signature", "constructor_signature")
    ].join("\n")
  },
  {
    name: "Solidity",
    extensions: ["sol"],
    grammar: "solidity",
    query: [
      namedNodes("type", "contract_declaration", "interface_declaration", "library_declaration", "struct_declaration", "enum_declaration"),
      namedNodes("function", "function_definition", "modifier_definition", "event_definition", "error_declaration")
    ].join("\n")
  }
]

const byExtension = new Map(languages.flatMap((language) => language.extensions.map((extension) => [extension, language] as const)))

/** The language of a file, by its name. */
export const of = (path: string): Language | undefined => byExtension.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())

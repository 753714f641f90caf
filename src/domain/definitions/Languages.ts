/**
 * The languages whose definitions can be listed: by which endings a file is known, which tree-sitter grammar reads it,
 * and a tree-sitter query that finds what it defines. A query captures a definition as `@type` (which may hold others:
 * a class, a module, a trait) or as `@function` (whose inside is its own affair), and in it the `@name`, whose line is shown.
 */
export interface Language {
  readonly name: string
  /** File name endings without the dot, lower case. */
  readonly endings: ReadonlyArray<string>
  /** `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string
  readonly query: string
}

/** `(node name: (_) @name) @kind` for each node. */
const named = (kind: "type" | "function", ...nodes: ReadonlyArray<string>): string =>
  nodes.map((node) => `(${node} name: (_) @name) @${kind}`).join("\n")

const functionValues = `(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function`

const javascript = [
  named("type", "class_declaration"),
  named("function", "function_declaration", "generator_function_declaration", "method_definition"),
  functionValues
].join("\n")

const typescript = [
  named("type", "class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration", "internal_module", "module"),
  named("function", "function_declaration", "generator_function_declaration", "function_signature", "method_definition", "abstract_method_signature", "type_alias_declaration"),
  functionValues
].join("\n")

/** A C declarator may be wrapped in pointers and references before it comes to the function's name. */
const cFunctions = [
  `(function_definition declarator: (function_declarator declarator: (_) @name)) @function`,
  `(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function`
]
const cTypes = ["struct_specifier", "union_specifier", "enum_specifier"].map((node) => `(${node} name: (_) @name body: (_)) @type`)

export const languages: ReadonlyArray<Language> = [
  { name: "JavaScript", endings: ["js", "jsx", "mjs", "cjs"], grammar: "javascript", query: javascript },
  { name: "TypeScript", endings: ["ts", "mts", "cts"], grammar: "typescript", query: typescript },
  { name: "TSX", endings: ["tsx"], grammar: "tsx", query: typescript },
  {
    name: "Python",
    endings: ["py", "pyi"],
    grammar: "python",
    query: [named("type", "class_definition"), named("function", "function_definition")].join("\n")
  },
  {
    name: "Go",
    endings: ["go"],
    grammar: "go",
    query: [named("type", "type_spec", "type_alias"), named("function", "function_declaration", "method_declaration")].join("\n")
  },
  {
    name: "Rust",
    endings: ["rs"],
    grammar: "rust",
    query: [
      named("type", "struct_item", "enum_item", "union_item", "trait_item", "mod_item"),
      `(impl_item type: (_) @name) @type`,
      named("function", "function_item", "function_signature_item", "macro_definition", "type_item")
    ].join("\n")
  },
  {
    name: "Java",
    endings: ["java"],
    grammar: "java",
    query: [
      named("type", "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration"),
      named("function", "method_declaration", "constructor_declaration")
    ].join("\n")
  },
  {
    name: "C",
    endings: ["c", "h"],
    grammar: "c",
    query: [...cTypes, ...cFunctions, `(type_definition declarator: (type_identifier) @name) @type`].join("\n")
  },
  {
    name: "C++",
    endings: ["cpp", "cc", "cxx", "hpp", "hh", "hxx"],
    grammar: "cpp",
    query: [
      ...cTypes,
      `(class_specifier name: (_) @name body: (_)) @type`,
      named("type", "namespace_definition", "concept_definition"),
      ...cFunctions,
      `(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function`,
      `(field_declaration declarator: (function_declarator declarator: (_) @name)) @function`,
      `(alias_declaration name: (_) @name) @function`
    ].join("\n")
  },
  {
    name: "C#",
    endings: ["cs"],
    grammar: "c_sharp",
    query: [
      named(
        "type",
        "namespace_declaration",
        "file_scoped_namespace_declaration",
        "class_declaration",
        "interface_declaration",
        "struct_declaration",
        "record_declaration",
        "enum_declaration"
      ),
      named("function", "method_declaration", "constructor_declaration", "property_declaration", "delegate_declaration")
    ].join("\n")
  },
  {
    name: "Ruby",
    endings: ["rb", "rake"],
    grammar: "ruby",
    query: [named("type", "class", "module"), named("function", "method", "singleton_method")].join("\n")
  },
  {
    name: "PHP",
    endings: ["php"],
    grammar: "php",
    query: [
      named("type", "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"),
      named("function", "function_definition", "method_declaration")
    ].join("\n")
  },
  {
    name: "Kotlin",
    endings: ["kt", "kts"],
    grammar: "kotlin",
    query: [named("type", "class_declaration", "object_declaration"), named("function", "function_declaration")].join("\n")
  },
  {
    name: "Swift",
    endings: ["swift"],
    grammar: "swift",
    query: [
      named("type", "class_declaration", "protocol_declaration"),
      named("function", "function_declaration", "protocol_function_declaration", "typealias_declaration"),
      `(init_declaration "init" @name) @function`
    ].join("\n")
  },
  {
    name: "Dart",
    endings: ["dart"],
    grammar: "dart",
    query: [
      named("type", "class_definition", "enum_declaration", "extension_declaration"),
      `(mixin_declaration (identifier) @name) @type`,
      named("function", "function_signature", "getter_signature", "setter_signature", "constructor_signature")
    ].join("\n")
  },
  {
    name: "Solidity",
    endings: ["sol"],
    grammar: "solidity",
    query: [
      named("type", "contract_declaration", "interface_declaration", "library_declaration", "struct_declaration", "enum_declaration"),
      named("function", "function_definition", "modifier_definition", "event_definition", "error_declaration")
    ].join("\n")
  }
]

const byEnding = new Map(languages.flatMap((language) => language.endings.map((ending) => [ending, language] as const)))

/** The language of a file, by its name. */
export const of = (path: string): Language | undefined => byEnding.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())

/** What checkpoints leave out beside ignored files: what can be made again, and what is too large to keep every version of. */

/** Bytes of the largest file that is kept. */
export const largest = 10 * 1024 * 1024

/** Files in a workspace above which it is not saved at all. */
export const most = 500_000

/** Patterns in gitignore syntax, by why they are left out. */
export const patterns: Readonly<Record<string, ReadonlyArray<string>>> = {
  dependencies: [
    "node_modules/", "bower_components/", "jspm_packages/", ".pnpm-store/", ".yarn/cache/", ".venv/", "venv/",
    "site-packages/", ".tox/", ".nox/", "Pods/", "Carthage/Build/", ".bundle/", "_deps/", "deps/_build/", ".dart_tool/"
  ],
  "build output": [
    "dist/", "build/", "out/", "target/debug/", "target/release/", ".next/", ".nuxt/", ".output/", ".svelte-kit/",
    "DerivedData/", "cmake-build-*/", "bazel-*/", "*.o", "*.obj", "*.a", "*.lib", "*.so", "*.so.*", "*.dylib", "*.dll",
    "*.exe", "*.class", "*.pyc", "*.pyo", "*.wasm", "*.tsbuildinfo"
  ],
  caches: [
    ".cache/", ".parcel-cache/", ".turbo/", ".gradle/", "__pycache__/", ".pytest_cache/", ".mypy_cache/",
    ".ruff_cache/", ".eslintcache", ".nyc_output/", "coverage/", ".terraform/", ".ipynb_checkpoints/", ".DS_Store",
    "Thumbs.db", "*.swp", ".dacapo-*.tmp"
  ],
  media: [
    "*.jpg", "*.jpeg", "*.png", "*.gif", "*.bmp", "*.tif", "*.tiff", "*.ico", "*.webp", "*.avif", "*.heic", "*.psd",
    "*.mp3", "*.wav", "*.flac", "*.ogg", "*.m4a", "*.aac", "*.mp4", "*.mkv", "*.mov", "*.avi", "*.webm", "*.wmv",
    "*.ttf", "*.otf", "*.woff", "*.woff2", "*.eot"
  ],
  archives: [
    "*.zip", "*.tar", "*.tgz", "*.gz", "*.bz2", "*.xz", "*.zst", "*.7z", "*.rar", "*.jar", "*.war", "*.ear", "*.whl",
    "*.deb", "*.rpm", "*.dmg", "*.iso", "*.pkg", "*.apk", "*.ipa"
  ],
  databases: [
    "*.db", "*.db-wal", "*.db-shm", "*.db-journal", "*.sqlite", "*.sqlite3", "*.sqlite-wal", "*.sqlite-shm", "*.mdb",
    "*.accdb", "*.dump", "*.rdb", "*.parquet"
  ]
}

/** What a binary file is, by its first bytes. */

const magic: ReadonlyArray<readonly [bytes: string, name: string]> = [
  ["89504e47", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["52494646", "a RIFF file (WebP, WAV or AVI)"],
  ["424d", "a BMP image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive (or a DOCX, XLSX, JAR in one)"],
  ["1f8b", "gzip-compressed data"],
  ["28b52ffd", "zstd-compressed data"],
  ["fd377a585a00", "xz-compressed data"],
  ["425a68", "bzip2-compressed data"],
  ["7f454c46", "an ELF program"],
  ["cafebabe", "a Java class or a macOS program"],
  ["cffaedfe", "a macOS program"],
  ["4d5a", "a Windows program"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d6174", "an SQLite database"],
  ["774f4646", "a WOFF font"],
  ["774f4632", "a WOFF2 font"],
  ["4f676753", "an Ogg file"],
  ["494433", "an MP3 file"]
]

/** `a PNG image`, or `a binary file` where nothing is known. */
export const of = (bytes: Uint8Array): string => {
  const start = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")
  return magic.find(([prefix]) => start.startsWith(prefix))?.[1] ?? "a binary file"
}

declare module 'turndown/lib/turndown.browser.es.js' {
  interface Options {
    readonly headingStyle?: 'setext' | 'atx'
    readonly codeBlockStyle?: 'indented' | 'fenced'
  }
  // oxlint-disable-next-line import/no-default-export -- the library's own shape
  export default class TurndownService {
    constructor(options?: Options)
    remove(names: never): this
    turndown(root: never): string
  }
}

// The texts of the pages, read from their sources: what stands between tags, and string literals that are sentences or labels.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface PageText {
  file: string;
  text: string;
}

/** Attributes and properties whose text nobody reads. */
const UNREAD = new Set([
  'className',
  'style',
  'key',
  'id',
  'to',
  'href',
  'type',
  'name',
  'path',
  'queryKey',
  'from',
  'rel',
  'target',
  'color',
  'variant',
  'size',
  'query',
]);

export function pageTexts(folder: string): PageText[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|schema\.d\.ts|^testing/.test(file),
  );
  return files.flatMap((file) => {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(folder, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
      file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    );
    const texts: PageText[] = [];
    const visit = (node: ts.Node) => {
      if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
      if (ts.isJsxAttribute(node) && UNREAD.has(node.name.getText())) return;
      if (ts.isPropertyAssignment(node) && UNREAD.has(node.name.getText())) return;
      if (
        ts.isJsxText(node) ||
        ts.isStringLiteral(node) ||
        ts.isNoSubstitutionTemplateLiteral(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddle(node) ||
        ts.isTemplateTail(node)
      ) {
        const text = node.text.replace(/\s+/g, ' ').trim();
        // Identifiers, addresses and codes are no texts.
        if (/[a-z]/i.test(text) && (ts.isJsxText(node) || /[A-Z ]/.test(text)))
          texts.push({ file, text });
      }
      node.forEachChild(visit);
    };
    visit(source);
    return texts;
  });
}

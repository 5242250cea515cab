export interface Document {
    group: string;
    path: string;
    title: string;
    text: string;
}
export function documents(source: string): Document[];
export function linked(
    from: string,
    target: string,
    served: ReadonlySet<string>,
): string | undefined;
export function body(document: Document, served: ReadonlySet<string>): string;
export function render(source: string, target: string, style: string): void;

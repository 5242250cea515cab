import type { components } from './schema';

export type FieldProblem = components['schemas']['FieldProblem'];
export type Block = components['schemas']['BlockBody'];

interface ProblemFields {
  status: number;
  code: string;
  title: string;
  detail: string;
  errors?: FieldProblem[];
  reason?: string | null;
  position?: number | null;
  part?: string | null;
  hint?: string | null;
  block?: Block | null;
  retryAfterSeconds?: number;
}

/** What went wrong, as the service says it (RFC 9457). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: FieldProblem[];
  /** The fault of a query without its position. */
  readonly reason: string | undefined;
  readonly position: number | undefined;
  /** The part of a query that is wrong, as written. */
  readonly part: string | undefined;
  readonly hint: string | undefined;
  /** The guardrail that blocks. */
  readonly block: Block | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: ProblemFields) {
    super(fields.detail || fields.title);
    this.name = 'Problem';
    this.status = fields.status;
    this.code = fields.code;
    this.title = fields.title;
    this.detail = fields.detail;
    this.errors = fields.errors ?? [];
    this.reason = fields.reason ?? undefined;
    this.position = fields.position ?? undefined;
    this.part = fields.part ?? undefined;
    this.hint = fields.hint ?? undefined;
    this.block = fields.block ?? undefined;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** Reads a problem from an answer; an answer that is none (a proxy's page) becomes one. */
export async function problemOf(response: Response): Promise<Problem> {
  const retry = Number(response.headers.get('retry-after'));
  const retryAfterSeconds = Number.isFinite(retry) && retry > 0 ? retry : undefined;
  try {
    const read = (await response.clone().json()) as Partial<ProblemFields>;
    if (typeof read.code === 'string') {
      return new Problem({
        ...read,
        status: response.status,
        code: read.code,
        title: read.title ?? 'Something went wrong',
        detail: read.detail ?? '',
        retryAfterSeconds,
      });
    }
  } catch {
    // Not JSON: described below by its status alone.
  }
  return new Problem({
    status: response.status,
    code: 'unexpected_answer',
    title: 'Unexpected answer',
    detail: `The service answered with status ${response.status} and no explanation.`,
    retryAfterSeconds,
  });
}

/** Any thrown value as a problem, for showing. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({
    status: 0,
    code: 'page_failed',
    title: 'The page failed',
    detail: error instanceof Error ? error.message : String(error),
  });
}

/** The form field a problem belongs to: an entry of a list (`regions[1]`) is shown at its list. */
export function formField(field: string): string {
  return field.replace(/\[\d+\]$/, '');
}

/** Messages by form field. */
export function fieldMessages(error: unknown): Record<string, string> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(error.errors.map(({ field, message }) => [formField(field), message]));
}

/**
 * The fields of issues and comments, checked as the service checks them.
 *
 * Limits: a title has at most 256 characters, a body 65,536; the service's messages name both.
 * Error codes: https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
 */
import { type Call, canPush, type FieldError, invalid, Refusal } from '../http.ts';
import { type Issue, stateReasonSchema } from '../model.ts';
import type { IssueEdit, RepositoryState } from '../store.ts';

const TITLE_LIMIT = 256;
const BODY_LIMIT = 65_536;

const tooLong = (resource: string, field: string, limit: number): FieldError => ({
  resource,
  code: 'custom',
  field,
  message: `${field} is too long (maximum is ${limit} characters)`,
});

const wrongType = (field: string, value: unknown, wanted: string): Refusal =>
  new Refusal(
    422,
    `Invalid request.\n\nFor '${field}', ${JSON.stringify(value)} is not ${wanted}.`,
  );

function titleField(call: Call, out: IssueEdit, errors: FieldError[]): void {
  const { title } = call.body;
  if (typeof title !== 'string' && typeof title !== 'number') {
    throw wrongType('title', title, 'a string');
  }
  const text = String(title).trim();
  if (text === '') errors.push({ resource: 'Issue', code: 'missing_field', field: 'title' });
  if ([...text].length > TITLE_LIMIT) errors.push(tooLong('Issue', 'title', TITLE_LIMIT));
  out.title = text;
}

function bodyField(call: Call, out: IssueEdit, errors: FieldError[]): void {
  const { body } = call.body;
  if (body !== null && typeof body !== 'string') throw wrongType('body', body, 'a string');
  if (body !== null && [...body].length > BODY_LIMIT) {
    errors.push(tooLong('Issue', 'body', BODY_LIMIT));
  }
  out.body = body;
}

function assigneesField(
  call: Call,
  repo: RepositoryState,
  out: IssueEdit,
  errors: FieldError[],
): void {
  const { assignees } = call.body;
  if (!Array.isArray(assignees)) throw wrongType('assignees', assignees, 'an array');
  const known: string[] = [];
  for (const value of assignees) {
    const login = typeof value === 'string' ? call.store.account(value)?.login : undefined;
    // Only people who can be assigned: https://docs.github.com/rest/issues/assignees
    if (login !== undefined && repo.repository.writers.includes(login)) known.push(login);
    else errors.push({ value, resource: 'Issue', field: 'assignees', code: 'invalid' });
  }
  out.assignees = [...new Set(known)].slice(0, 10);
}

function labelNames(value: unknown): string[] {
  if (!Array.isArray(value)) throw wrongType('labels', value, 'an array');
  return value.map((item: unknown) => {
    if (typeof item === 'string') return item;
    const name =
      typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined;
    if (typeof name !== 'string') throw wrongType('labels', item, 'a string');
    return name;
  });
}

/**
 * Names of labels as the repository spells them. A label that does not exist yet is CREATED, with
 * the colour ededed and no description: not in the documentation, confirmed by its maintainers'
 * tracker (https://github.com/github/docs/issues/35718). Names are compared without case.
 * @throws Refusal 422 for a name over 50 characters
 */
export function resolveLabels(call: Call, repo: RepositoryState, value: unknown): string[] {
  const names: string[] = [];
  for (const name of labelNames(value)) {
    const existing = repo.labels.find((l) => l.name.toLowerCase() === name.toLowerCase());
    if (!existing && (name.trim() === '' || [...name].length > 50)) {
      throw invalid([{ resource: 'Label', field: 'name', code: 'invalid', value: name }]);
    }
    const label = existing ?? { id: call.store.newId(), name, color: 'ededed', description: null };
    if (!existing) repo.labels.push(label);
    names.push(label.name);
  }
  return [...new Set(names)];
}

function milestoneField(
  call: Call,
  repo: RepositoryState,
  out: IssueEdit,
  errors: FieldError[],
): void {
  const { milestone } = call.body;
  const number = milestone === null ? null : Number(milestone);
  if (number !== null && !repo.milestones.some((candidate) => candidate.number === number)) {
    errors.push({ value: milestone, resource: 'Issue', field: 'milestone', code: 'invalid' });
  }
  out.milestone = number;
}

function stateFields(call: Call, out: IssueEdit, errors: FieldError[]): void {
  const { state, state_reason: reason } = call.body;
  if (state === 'open' || state === 'closed') out.state = state;
  else if (state !== undefined) {
    errors.push({ value: state, resource: 'Issue', field: 'state', code: 'invalid' });
  }
  if (reason === undefined) return;
  const parsed = stateReasonSchema.nullable().safeParse(reason);
  // "Ignored unless state is changed" (https://docs.github.com/rest/issues/issues#update-an-issue)
  if (parsed.success && out.state !== undefined) out.stateReason = parsed.data;
  if (!parsed.success) {
    errors.push({ value: reason, resource: 'Issue', field: 'state_reason', code: 'invalid' });
  }
}

/**
 * The edit that a request's body asks for. Labels, assignees and milestone of someone without push
 * access "are silently dropped" (https://docs.github.com/rest/issues/issues#create-an-issue).
 * @param current the issue to edit, or null for a new one
 * @throws Refusal 422 with one entry for each wrong field
 */
export function issueFields(call: Call, repo: RepositoryState, current: Issue | null): IssueEdit {
  const out: IssueEdit = {};
  const errors: FieldError[] = [];
  const given = (field: string): boolean => call.body[field] !== undefined;
  const push = canPush(call, repo);
  if (given('title')) titleField(call, out, errors);
  else if (current === null) {
    errors.push({ resource: 'Issue', code: 'missing_field', field: 'title' });
  }
  if (given('body')) bodyField(call, out, errors);
  if (given('assignees') && push) assigneesField(call, repo, out, errors);
  if (given('milestone') && push) milestoneField(call, repo, out, errors);
  if (current !== null) stateFields(call, out, errors);
  if (errors.length > 0) throw invalid(errors);
  // Last, because it creates labels: a refused request must change nothing.
  if (given('labels') && push) out.labels = resolveLabels(call, repo, call.body['labels']);
  if (out.state !== undefined && out.state === current?.state) delete out.stateReason;
  return out;
}

/** The `body` of a comment. @throws Refusal 422 when it is missing, blank or over 65,536 */
export function commentBody(call: Call): string {
  const { body } = call.body;
  if (body === undefined || body === null || (typeof body === 'string' && body.trim() === '')) {
    throw invalid([{ resource: 'IssueComment', code: 'missing_field', field: 'body' }]);
  }
  if (typeof body !== 'string') throw wrongType('body', body, 'a string');
  if ([...body].length > BODY_LIMIT) throw invalid([tooLong('IssueComment', 'body', BODY_LIMIT)]);
  return body;
}

/** Labels and milestones. https://docs.github.com/rest/issues/labels and …/milestones */
import {
  type Call,
  invalid,
  notFound,
  numberParam,
  paged,
  type Reply,
  type Route,
  repositoryOf,
  requirePush,
  sorted,
} from '../http.ts';
import type { Label, Milestone } from '../model.ts';
import { renderLabel, renderMilestone } from '../render.ts';
import type { RepositoryState } from '../store.ts';

const text = (call: Call, field: string): string | undefined => {
  const value = call.body[field];
  return typeof value === 'string' ? value : undefined;
};

function labelOf(call: Call, repo: RepositoryState): Label {
  const name = (call.params['name'] ?? '').toLowerCase();
  const label = repo.labels.find((candidate) => candidate.name.toLowerCase() === name);
  if (!label) throw notFound();
  return label;
}

function checkedName(repo: RepositoryState, name: string | undefined, self?: Label): string {
  if (name === undefined || name.trim() === '') {
    throw invalid([{ resource: 'Label', code: 'missing_field', field: 'name' }]);
  }
  const taken = repo.labels.some((l) => l !== self && l.name.toLowerCase() === name.toLowerCase());
  if (taken) throw invalid([{ resource: 'Label', code: 'already_exists', field: 'name' }]);
  return name;
}

function checkedColor(color: string | undefined): string {
  const hex = (color ?? 'ededed').toLowerCase();
  if (!/^[0-9a-f]{6}$/.test(hex)) {
    throw invalid([{ resource: 'Label', code: 'invalid', field: 'color', value: color }]);
  }
  return hex;
}

function createLabel(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const label: Label = {
    id: call.store.newId(),
    name: checkedName(repo, text(call, 'name')),
    color: checkedColor(text(call, 'color')),
    description: text(call, 'description') ?? null,
  };
  repo.labels.push(label);
  return { status: 201, body: renderLabel(call, repo, label) };
}

/** Renaming a label renames it on every issue, and moves none of their `updated_at`. */
function updateLabel(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const old = labelOf(call, repo);
  const next: Label = {
    ...old,
    name: checkedName(repo, text(call, 'new_name') ?? old.name, old),
    color: checkedColor(text(call, 'color') ?? old.color),
    description: text(call, 'description') ?? old.description,
  };
  repo.labels = repo.labels.map((label) => (label === old ? next : label));
  for (const [number, issue] of repo.issues) {
    if (!issue.labels.includes(old.name)) continue;
    const labels = issue.labels.map((name) => (name === old.name ? next.name : name));
    repo.issues.set(number, { ...issue, labels });
  }
  return { status: 200, body: renderLabel(call, repo, next) };
}

function deleteLabel(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const gone = labelOf(call, repo);
  repo.labels = repo.labels.filter((label) => label !== gone);
  for (const [number, issue] of repo.issues) {
    const labels = issue.labels.filter((name) => name !== gone.name);
    if (labels.length < issue.labels.length) repo.issues.set(number, { ...issue, labels });
  }
  return { status: 204 };
}

function milestoneOf(call: Call, repo: RepositoryState): Milestone {
  const number = numberParam(call, 'milestone_number');
  const milestone = repo.milestones.find((candidate) => candidate.number === number);
  if (!milestone) throw notFound();
  return milestone;
}

/** `state` open (default), closed or all; sorted by due date or completeness, soonest first. */
function listMilestones(call: Call): Reply {
  const repo = repositoryOf(call);
  const state = call.query.get('state') ?? 'open';
  const direction = call.query.get('direction') === 'desc' ? 'desc' : 'asc';
  const found = repo.milestones.filter((m) => state === 'all' || m.state === state);
  const items = sorted(
    found,
    (m) => m.dueOn ?? '9999',
    (m) => m.number,
    direction,
  );
  return paged(call, items, (milestone) => renderMilestone(call, repo, milestone), repo);
}

function milestoneFields(call: Call): Partial<Milestone> {
  const state = call.body['state'];
  if (state !== undefined && state !== 'open' && state !== 'closed') {
    throw invalid([{ resource: 'Milestone', field: 'state', code: 'invalid', value: state }]);
  }
  const due = call.body['due_on'];
  const title = text(call, 'title');
  const description = text(call, 'description');
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(typeof due === 'string' ? { dueOn: `${new Date(due).toISOString().slice(0, 19)}Z` } : {}),
    ...(state === undefined ? {} : { state }),
  };
}

function createMilestone(call: Call): Reply {
  const repo = repositoryOf(call);
  const creator = requirePush(call, repo).login;
  const fields = milestoneFields(call);
  if (!fields.title) {
    throw invalid([{ resource: 'Milestone', code: 'missing_field', field: 'title' }]);
  }
  const now = call.store.now();
  const milestone: Milestone = {
    id: call.store.newId(),
    number: Math.max(0, ...repo.milestones.map((m) => m.number)) + 1,
    description: null,
    state: 'open',
    creator,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    dueOn: null,
    ...fields,
    title: fields.title,
  };
  repo.milestones.push(milestone);
  return { status: 201, body: renderMilestone(call, repo, milestone) };
}

function updateMilestone(call: Call): Reply {
  const repo = repositoryOf(call);
  requirePush(call, repo);
  const old = milestoneOf(call, repo);
  const next = { ...old, ...milestoneFields(call), updatedAt: call.store.now() };
  next.closedAt = next.state === 'closed' ? (old.closedAt ?? next.updatedAt) : null;
  repo.milestones = repo.milestones.map((milestone) => (milestone === old ? next : milestone));
  return { status: 200, body: renderMilestone(call, repo, next) };
}

const base = '/repos/{owner}/{repo}';

/** Routes for a repository's labels. */
export function labelRoutes(): Route[] {
  const docs = 'issues/labels';
  const one = `${base}/labels/{name}`;
  const list = (call: Call): Reply => {
    const repo = repositoryOf(call);
    return paged(call, repo.labels, (label) => renderLabel(call, repo, label), repo);
  };
  const get = (call: Call): Reply => {
    const repo = repositoryOf(call);
    return { status: 200, body: renderLabel(call, repo, labelOf(call, repo)) };
  };
  const all = `${base}/labels`;
  return [
    { method: 'GET', pattern: all, docs: `${docs}#list-labels-for-a-repository`, handle: list },
    { method: 'POST', pattern: all, docs: `${docs}#create-a-label`, handle: createLabel },
    { method: 'GET', pattern: one, docs: `${docs}#get-a-label`, handle: get },
    { method: 'PATCH', pattern: one, docs: `${docs}#update-a-label`, handle: updateLabel },
    { method: 'DELETE', pattern: one, docs: `${docs}#delete-a-label`, handle: deleteLabel },
  ];
}

/** Routes for a repository's milestones. */
export function milestoneRoutes(): Route[] {
  const docs = 'issues/milestones';
  const all = `${base}/milestones`;
  const one = `${base}/milestones/{milestone_number}`;
  const get = (call: Call): Reply => {
    const repo = repositoryOf(call);
    const milestone = milestoneOf(call, repo);
    const body = renderMilestone(call, repo, milestone);
    return { status: 200, body, lastModified: milestone.updatedAt };
  };
  return [
    { method: 'GET', pattern: all, docs: `${docs}#list-milestones`, handle: listMilestones },
    { method: 'POST', pattern: all, docs: `${docs}#create-a-milestone`, handle: createMilestone },
    { method: 'GET', pattern: one, docs: `${docs}#get-a-milestone`, handle: get },
    { method: 'PATCH', pattern: one, docs: `${docs}#update-a-milestone`, handle: updateMilestone },
  ];
}

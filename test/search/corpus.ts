/** A small knowledge base as people keep them: records, runbooks, code, notes in several languages. */

const record = (fields: Readonly<Record<string, string>>, body: string): string =>
  `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n---\n\n${body}`;

export const CORPUS: Readonly<Record<string, string>> = {
  'incidents/INC-1.md': record(
    {
      id: 'INC-1',
      title: 'Checkout down after certificate expiry',
      severity: 'critical',
      assignee: 'Inès Moreau',
      date: '2024-06-03',
      labels: '[payments, tls]',
    },
    '## Log\n\nAt 09:12 the gateway refused every card, since its certificate had expired overnight.\n\n### Log\n\nThe certificate was renewed by hand, and a reminder was added to the calendar.\n',
  ),
  'incidents/INC-1/comments/1.md':
    'I saw INC-1 again this morning, the same error from the gateway, INC-1 is not closed.\n',
  'incidents/INC-2.md': record(
    {
      id: 'INC-2',
      title: 'Replica lag during the nightly export',
      severity: 'minor',
      assignee: 'Bogdan Kowalski',
      date: '2024-07-19',
      labels: '[database]',
    },
    'The export held a snapshot for two hours; the replica fell behind by 40 minutes. See INC-1 for how we escalate.\n',
  ),
  'incidents/INC-12.md': record(
    {
      id: 'INC-12',
      title: 'Search returned stale results',
      severity: 'major',
      assignee: 'Zoë Müller',
      date: '2024-11-02',
    },
    'A queue worker stopped silently and nobody noticed for a day. The request was req-7f3a9c21.\n',
  ),
  'issues/PLT-12.md': record(
    { identifier: 'PLT-12', title: 'Dark mode flickers on load', state: 'Todo', priority: 'low' },
    'The stylesheet arrives after the first paint.\n',
  ),
  'issues/PLT-36.md': record(
    { identifier: 'PLT-36', title: 'Upload of large files fails', state: 'Done', priority: 'high' },
    'Anything over 250 MB is cut off after 30 seconds. Blocked by PLT-12 in the sprint plan of PLT-12.\n',
  ),
  'runbooks/deploy.md':
    '# Deploying\n\nRun the migration first, then restart both workers. Roll back with `release undo`.\n\n## Canary\n\nFive percent of the traffic goes to the new version for ten minutes.\n',
  'runbooks/rotate-keys.md':
    '# Rotating signing keys\n\nThe signing key is replaced every 90 days; the old one stays valid for a week.\nAsk ops-team@harbor.example for access to the vault.\n',
  'runbooks/backups.md':
    '# Backups\n\nDatabase backups are taken hourly and kept for 35 days. Backups are not encrypted at rest yet.\n\nA restore takes about 20 minutes for 100 GB.\n',
  'guides/onboarding.md':
    '# Onboarding\n\nNew colleagues get a laptop, a badge and an account on their first day. Holidays are requested in the calendar two weeks ahead.\n',
  'guides/webhooks.md':
    '# Webhooks\n\nA webhook is delivered at least once. Deliveries are retried with exponential backoff for 24 hours.\n\n## Signatures\n\nEach delivery carries an HMAC of its body, so that the receiver can verify who sent it.\n',
  'guides/style.md':
    '# Style\n\nUse the color palette of the brand. Organize components by feature; the center column is 640px wide.\n',
  'guides/errors.md':
    '# Error codes\n\n| code | meaning |\n| --- | --- |\n| E1042 | the token has expired |\n| E1043 | the token was revoked |\n| ECONNRESET | the peer closed the connection |\n\nThe client shows `connection refused by upstream` when no backend is healthy.\n',
  'guides/latency.md':
    '# Latency\n\nThe p95 of the API is 180 ms; alerts fire above 250ms for five minutes. We aim at 99.95% availability.\n',
  'guides/rockets.md': '# Launches\n\nWe announce launches with a 🚀 in the channel.\n',
  'CHANGELOG.md':
    '# Changelog\n\n## 2.4.1\n\nFixes a race in the scheduler (commit 9fceb02d0ae598e95dc970b74767f19372d61af8).\n\n## 2.4.0\n\nPostgreSQL 16 is supported. Rate-limit headers follow the RFC.\n',
  'src/users.ts':
    "import { db } from './db.ts';\n\n/** Reads one user. */\nexport async function getUserById(id: string): Promise<User | null> {\n  return db.users.find(id);\n}\n\nexport const MAX_RETRY_COUNT = 5;\n",
  'src/job_history.py':
    'def job_history(limit=100):\n    """The jobs that ran last."""\n    return [row for row in fetch_rows(limit)]\n',
  'src/queue.cpp':
    '// A queue without locks.\nvoid Queue::push(Item item) {\n  head_.store(item);\n}\nnamespace foo { void Foo::bar(); }\n',
  'src/config.yaml': 'server:\n  host: 10.20.30.40\n  port: 8443\n  max-upload-size: 250mb\n',
  'de/rechnungen.md':
    '# Rechnungen\n\nEine Rechnung wird am ersten Werktag des Monats verschickt. Wer eine Mahnung bekommt, hat die Rechnung nicht bezahlt. Die Buchhaltung prüft jede Überweisung von Hand.\n',
  'fr/conges.md':
    '# Congés\n\nLes demandes de congé sont déposées deux semaines à l’avance dans le calendrier. Le responsable les approuve ou les refuse dans les trois jours, et les salariés sont prévenus par courriel.\n',
  'es/facturacion.md':
    '# Reembolsos\n\nLos reembolsos se pagan en diez días. El cliente recibe una confirmación por correo cuando la devolución de su pedido ha sido aceptada por el almacén.\n',
  'ru/parol.md':
    '# Пароли\n\nЧтобы сбросить пароль, попросите ссылку по почте. Ссылка действует один час, после этого нужно запросить новую.\n',
  'zh/lingpai.md': '# 令牌\n\n访问令牌每三十天更新一次。更新令牌之前必须先登录控制台。\n',
  'ja/kyuka.md':
    '# 休暇\n\n有給休暇の申請は二週間前までに提出してください。承認は上司が行います。\n',
};

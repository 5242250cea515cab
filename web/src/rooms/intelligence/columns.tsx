// The columns of recommendations, as tables in several rooms show them.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Recommendation } from '../../api/bodies';
import { money, percent } from '../../display/amounts';
import type { Column } from '../../display/DataTable';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { Applicable, APPLICABILITY } from './Applicable';
import { PRIORITY_ORDER } from './priorities';
import { unknownSaving } from './savings-words';

const titled = (maxWidth: number): Column<Recommendation> => ({
  id: 'title',
  header: 'Recommendation',
  sortBy: (row) => row.title,
  csv: {
    Recommendation: (row) => row.title,
    Resource: (row) => row.resource.name,
    'Resource identifier': (row) => row.resource.id,
    Provider: (row) => row.resource.provider,
    Account: (row) => row.resource.account,
    Region: (row) => row.resource.region,
  },
  cell: (row) => {
    const { name, provider, account, region } = row.resource;
    const place = [name, `${words(provider)} ${account}`, region].filter(Boolean).join(' · ');
    return (
      <div style={{ minWidth: 240, maxWidth }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/intelligence/recommendations/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.title}
        </Anchor>
        <Text size="xs" className="muted" truncate title={place}>
          {place}
        </Text>
      </div>
    );
  },
});
const priority: Column<Recommendation> = {
  id: 'priority',
  header: 'Priority',
  sortBy: (row) => PRIORITY_ORDER.indexOf(row.priority),
  cell: (row) => <Status of={row.priority} />,
};
const kind: Column<Recommendation> = {
  id: 'type',
  header: 'Type',
  minor: true,
  sortBy: (row) => row.kind,
  cell: (row) => words(row.kind),
};
const confidence: Column<Recommendation> = {
  id: 'confidence',
  header: 'Confidence',
  align: 'right',
  sortBy: (row) => row.confidence,
  csv: { 'Confidence (%)': (row) => row.confidence },
  cell: (row) => percent(row.confidence),
};
const savings: Column<Recommendation> = {
  id: 'savings',
  header: 'Savings a month',
  align: 'right',
  sortBy: (row) => row.savings.expected_monthly ?? Number.NEGATIVE_INFINITY,
  csv: {
    'Savings a month (USD)': (row) => row.savings.expected_monthly,
    'Basis of the savings': (row) => row.savings.basis,
  },
  cell: (row) => <Saved of={row} />,
};
const status: Column<Recommendation> = {
  id: 'status',
  header: 'Status',
  minor: true,
  sortBy: (row) => row.status,
  cell: (row) => <Status of={row.status} />,
};
const applicability: Column<Recommendation> = {
  id: 'applicability',
  header: 'Can be applied',
  sortBy: (row) => APPLICABILITY.indexOf(row.applicability?.state ?? ''),
  csv: {
    'Can be applied': (row) => row.applicability?.state,
    'Blocked by': (row) => row.applicability?.blocked_by,
  },
  cell: (row) => row.applicability && <Applicable of={row.applicability} />,
};
const created: Column<Recommendation> = {
  id: 'created',
  header: 'Found',
  minor: true,
  sortBy: (row) => row.created_at,
  cell: (row) => <When at={row.created_at} form="ago" />,
};

export const LATEST_COLUMNS = [titled(520), priority, kind, confidence, savings, status];
/** Columns for half a page, where all recommendations are of one resource. */
export const NARROW_COLUMNS = [titled(300), priority, confidence, savings, status];
export const ALL_COLUMNS = [
  titled(270),
  priority,
  kind,
  confidence,
  savings,
  applicability,
  status,
  created,
];

function Saved({ of: row }: { of: Recommendation }) {
  const dollars = row.savings.expected_monthly;
  if (dollars == null)
    return (
      <Text span size="sm" className="muted">
        {unknownSaving(row)}
      </Text>
    );
  if (dollars === 0)
    return (
      <Text span size="sm" className="muted">
        None
      </Text>
    );
  if (dollars < 0)
    return (
      <Text span size="sm" fw={600} c="var(--warn)">
        adds {money(-dollars)}
      </Text>
    );
  return (
    <Text span size="sm" fw={600} c="var(--good)">
      {money(dollars)}
    </Text>
  );
}

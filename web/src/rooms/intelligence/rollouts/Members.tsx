import type { components } from '../../../api/schema';
import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Rollout, RolloutMember } from '../../../api/bodies';
import { DataTable, type Column } from '../../../display/DataTable';
import { Panel } from '../../../display/Panel';
import { Select } from '../../../display/Select';
import { sentence } from '../../../display/wording';
import { BlockWords } from '../change/BlockNote';
import { waveName } from './course';
import { RolloutStatus } from './RolloutStatus';
import { MEMBER_STATES } from './states';

const ORDER = Object.keys(MEMBER_STATES);

function columns(rollout: Rollout): Column<RolloutMember>[] {
  return [
    {
      id: 'name',
      header: 'Resource',
      sortBy: (row) => row.name,
      csv: {
        Resource: (row) => row.name,
        'Resource identifier': (row) => row.resource_id,
        'Recommendation identifier': (row) => row.recommendation_id,
        Production: (row) => row.critical,
      },
      cell: (row) => (
        <div style={{ minWidth: 150, maxWidth: 300 }}>
          <Anchor
            size="sm"
            fw={550}
            c="inherit"
            renderRoot={(props) => (
              <Link
                to="/intelligence/recommendations/$id"
                params={{ id: row.recommendation_id }}
                {...props}
              />
            )}
          >
            {row.name || row.resource_id}
          </Anchor>
          <Text size="xs" className="muted">
            {row.critical ? 'Production' : 'Not production (by tag)'}
          </Text>
        </div>
      ),
    },
    {
      id: 'wave',
      header: 'Stage',
      sortBy: (row) => row.wave,
      cell: (row) => waveName(row.wave, rollout),
    },
    {
      id: 'state',
      header: 'State',
      sortBy: (row) => ORDER.indexOf(row.state),
      cell: (row) => (
        <Group gap={6}>
          <RolloutStatus kind="member" of={row.state} />
          {row.accepted && (
            <Text size="xs" className="muted">
              accepted
            </Text>
          )}
        </Group>
      ),
    },
    {
      id: 'detail',
      header: 'Numbers or reason',
      cell: (row) => (
        <div style={{ minWidth: 220, maxWidth: 460 }}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {row.block ? (
              <>
                Blocked by <BlockWords of={row.block} />
              </>
            ) : row.detail ? (
              sentence(row.detail)
            ) : (
              <span className="muted">no data yet</span>
            )}
          </Text>
          {row.state === 'awaiting_approval' && (
            <Anchor
              size="xs"
              renderRoot={(props) => <Link to="/intelligence/approvals" {...props} />}
            >
              To the request
            </Anchor>
          )}
        </div>
      ),
    },
  ];
}

/** Every resource it carries, in the order in which they go out, each with its recommendation. */
export function Members({ of: rollout }: { of: Rollout }) {
  const [state, setState] = useState<string | null>(null);
  const table = useMemo(() => columns(rollout), [rollout]);
  const present = ORDER.filter((name) => rollout.members.some((member) => member.state === name));
  const rows = rollout.members.filter((member) => !state || member.state === state);
  return (
    <Panel
      title="Resources"
      note="Guardrails and approvals apply to each change"
      flush
      actions={
        present.length > 1 && (
          <Select
            size="xs"
            w={190}
            clearable
            placeholder="Any state"
            aria-label="State"
            value={state}
            onChange={setState}
            data={present.map((name) => ({
              value: name,
              label: MEMBER_STATES[name as components['schemas']['RolloutMemberState']].label,
            }))}
          />
        )
      }
    >
      <DataTable
        bare
        label="Resources"
        columns={table}
        rows={rows}
        rowId={(row) => row.recommendation_id}
        pageSize={25}
        empty={
          <Text size="sm" className="muted" p="md">
            No resource is in this state now.
          </Text>
        }
      />
    </Panel>
  );
}

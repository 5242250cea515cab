import { Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconQuestionMark } from '@tabler/icons-react';
import type { Diagnosis } from '../../../api/bodies';
import { plural } from '../../../display/amounts';
import { sentence, words } from '../../../display/wording';
import { BlockWords } from './BlockNote';

type Cause = Diagnosis['causes'][number];

const SIGNS = {
  yes: { colour: 'orange', icon: IconAlertTriangle, label: 'Applies' },
  no: { colour: 'green', icon: IconCheck, label: 'Does not apply' },
  unknown: { colour: 'gray', icon: IconQuestionMark, label: 'Not known' },
};

/** The causes of a condition: those that apply with their evidence and the way out, the others folded; `folded` folds all. */
export function Causes({ of: causes, folded = false }: { of: Cause[]; folded?: boolean }) {
  const applying = causes.filter(({ applies }) => applies === true && !folded);
  const others = causes.filter(({ applies }) => applies !== true || folded);
  const found = causes.filter(({ applies }) => applies === true).length;
  return (
    <Stack gap="md">
      {applying.length > 0 && <List of={applying} label="Causes that apply" />}
      {others.length > 0 && (
        <details>
          <summary className="fold">
            {applying.length > 0
              ? `${plural(others.length, 'other cause')} checked`
              : `${plural(others.length, 'cause')} checked, ${found === 0 ? 'none' : found} ${found > 1 ? 'apply' : 'applies'}`}
          </summary>
          <div style={{ marginTop: 12 }}>
            <List of={others} label="Other causes" />
          </div>
        </details>
      )}
    </Stack>
  );
}

function List({ of: causes, label }: { of: Cause[]; label: string }) {
  return (
    <Stack component="ul" gap={14} m={0} p={0} style={{ listStyle: 'none' }} aria-label={label}>
      {causes.map((cause) => {
        const sign =
          SIGNS[cause.applies === true ? 'yes' : cause.applies === false ? 'no' : 'unknown'];
        return (
          <li key={cause.name} style={{ display: 'flex', gap: 12, alignItems: 'flex-start' }}>
            <ThemeIcon
              size={24}
              radius="xl"
              color={sign.colour}
              variant="light"
              role="img"
              aria-label={sign.label}
            >
              <sign.icon size={14} />
            </ThemeIcon>
            <div style={{ minWidth: 0 }}>
              <Text size="sm" fw={550}>
                {words(cause.name)}
              </Text>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {cause.block ? <BlockWords of={cause.block} /> : sentence(cause.evidence)}
              </Text>
              {cause.applies !== false && (
                <Text size="sm" className="muted">
                  {cause.way_out}
                </Text>
              )}
            </div>
          </li>
        );
      })}
    </Stack>
  );
}

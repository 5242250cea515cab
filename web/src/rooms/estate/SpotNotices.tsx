import { Anchor, Button, Code, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../api/schema';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { removeSpotQueue, setSpotQueue, spotNoticesQuery, useChange } from './queries';

type Notices = components['schemas']['SpotNoticesBody'];

/** Queue from which a connection to AWS receives notices about spot capacity, and how to make one. */
export function SpotNotices({ connection }: { connection: string }) {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({ ...spotNoticesQuery(connection), enabled: open });
  return (
    <div>
      <Anchor component="button" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide spot notices' : 'Spot notices'}
      </Anchor>
      {open && error && <ProblemAlert error={error} />}
      {open && !data && !error && <Skeleton h={80} mt="xs" />}
      {open && data && <Queue connection={connection} notices={data} />}
    </div>
  );
}

function Queue({ connection, notices }: { connection: string; notices: Notices }) {
  const may = useMay();
  const [url, setUrl] = useState(notices.queue_url ?? '');
  const set = useChange(setSpotQueue);
  const remove = useChange(removeSpotQueue);
  const others = Object.entries(notices.other_events);
  return (
    <Stack gap="xs" mt={6}>
      <Text size="sm" className="muted">
        {notices.queue_url
          ? notices.newest_at
            ? 'Notices arrive.'
            : 'No notice has arrived yet.'
          : 'No queue is set, so that no notices of interruptions arrive. These commands make one:'}
      </Text>
      {notices.queue_url ? (
        <Facts
          of={[
            ['Newest notice', notices.newest_at && <When key="newest" at={notices.newest_at} />],
            ['Last read', notices.read_at && <When key="read" at={notices.read_at} form="ago" />],
            ['Notices', count(notices.notices)],
            [
              'Other events',
              others.map(([name, number]) => `${name}: ${count(number)}`).join(', '),
            ],
            ['Unreadable', notices.unreadable > 0 && count(notices.unreadable)],
            ['Failure', notices.failure],
          ]}
        />
      ) : (
        <Code block>{notices.setup.join('\n')}</Code>
      )}
      <Markets of={notices.markets} />
      {may('estate.manage') && (
        <>
          <TextInput
            label="Queue URL"
            placeholder="https://sqs.us-east-1.amazonaws.com/111122223333/reeve-spot"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <ProblemAlert error={set.error ?? remove.error} />
          <Group gap="xs">
            <Button
              variant="light"
              disabled={!url}
              loading={set.isPending}
              onClick={() =>
                set.mutate(
                  { id: connection, queue_url: url },
                  { onSuccess: () => announce('Queue set.') },
                )
              }
            >
              Set queue
            </Button>
            {notices.queue_url && (
              <Button
                variant="default"
                loading={remove.isPending}
                onClick={() => remove.mutate(connection)}
              >
                Remove
              </Button>
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}

/** Prices and placement scores of spot capacity by region, or the reason why there are none. */
function Markets({ of }: { of: Notices['markets'] }) {
  if (of.length === 0) {
    return (
      <Text size="sm" className="muted">
        Spot prices and placement scores are read within an hour. The connection needs
        ec2:DescribeSpotPriceHistory, ec2:GetSpotPlacementScores and ec2:DescribeAvailabilityZones.
      </Text>
    );
  }
  return of.map((market) => (
    <Facts
      key={market.region}
      of={[
        ['Spot market', market.region],
        ['Read', market.read_at && <When key="read" at={market.read_at} form="ago" />],
        [
          'Prices',
          market.price_failure || `${count(market.pools)} pools, ${count(market.days)} days`,
        ],
        [
          'Placement scores',
          market.score_failure ||
            (market.lowest_score == null
              ? 'none yet'
              : `${count(market.groups)} groups, lowest ${market.lowest_score} of 10`),
        ],
        ['Groups not asked', market.unasked > 0 && `${count(market.unasked)} (ten a day)`],
      ]}
    />
  ));
}

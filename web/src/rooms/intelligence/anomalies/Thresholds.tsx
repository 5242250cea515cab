import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Anomaly } from '../../../api/bodies';
import type { components } from '../../../api/schema';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import { useChange } from '../queries';
import { factorText } from './course';
import { resetThreshold, thresholdsQuery } from './queries';

type Threshold = components['schemas']['AnomalyThresholdBody'];

const LESSONS: Record<components['schemas']['LessonKind'], string> = {
  false_alarm: 'False alarm',
  confirmed: 'Confirmed',
  new_normal: 'New normal',
  remedy_held: 'Remedy worked',
  remedy_failed: 'Remedy failed',
};

/** Why the threshold of this kind of anomaly is what it is, with the lessons that moved it and a way back. */
export function Thresholds({ of: one }: { of: Anomaly }) {
  const answers = one.feedback.length + one.responses.length;
  const { data, error, refetch } = useQuery(thresholdsQuery(one.id, answers));
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <Panel title="Threshold" note="Minimum deviation beyond the expected range">
      <Stack gap="lg">
        {data.items.map((threshold) => (
          <One key={threshold.id} of={threshold} here={one.id} several={data.items.length > 1} />
        ))}
      </Stack>
    </Panel>
  );
}

function One({ of: threshold, here, several }: { of: Threshold; here: string; several: boolean }) {
  const may = useMay();
  const reset = useChange(resetThreshold);
  return (
    <div>
      {several && (
        <Text size="xs" fw={600} className="muted">
          {threshold.metric ? words(threshold.metric) : words(threshold.type)},{' '}
          {threshold.direction} the expected value
        </Text>
      )}
      <Text size="sm" fw={600} className="numeral">
        {factorText(threshold.factor)}
      </Text>
      <Text size="sm">{sentence(threshold.reason)}.</Text>
      {threshold.lessons.length > 0 && (
        <Stack component="ul" gap={4} mt={6} mb={0} pl={18} aria-label="Verdicts that changed it">
          {threshold.lessons.map((lesson) => (
            <Text
              component="li"
              size="xs"
              key={lesson.anomaly_id}
              style={{ overflowWrap: 'anywhere' }}
            >
              {LESSONS[lesson.kind]} at {lesson.deviation.toFixed(1)} of the usual band, {lesson.by}
              , <When at={lesson.at} form="ago" />
              {lesson.anomaly_id !== here && (
                <>
                  {' '}
                  ·{' '}
                  <Anchor
                    size="xs"
                    renderRoot={(props) => (
                      <Link
                        to="/intelligence/anomalies/$id"
                        params={{ id: lesson.anomaly_id }}
                        {...props}
                      />
                    )}
                  >
                    Open
                  </Anchor>
                </>
              )}
            </Text>
          ))}
        </Stack>
      )}
      <ProblemAlert error={reset.error} />
      {threshold.lessons.length > 0 && may('intelligence.operate') && (
        <Group mt="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={14} />}
            loading={reset.isPending}
            onClick={() =>
              reset.mutate(threshold.id, { onSuccess: () => announce('Threshold reset.') })
            }
          >
            Reset threshold
          </Button>
        </Group>
      )}
    </div>
  );
}

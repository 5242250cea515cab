import { Button, Group, Loader, Progress, Stack, Text, Textarea, ThemeIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowBackUp, IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Action } from '../../api/bodies';
import { useMay } from '../../api/session';
import { FormDialog } from '../../display/FormDialog';
import { took } from '../../display/instants';
import { Panel } from '../../display/Panel';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { ActionStatus } from './ActionStatus';
import { Watch } from './Watch';
import { rollBack, useChange } from './queries';
import { useWho } from './requesters';

const TITLES: Record<string, string> = {
  test: 'Last test',
  simulate: 'Simulation: no real resource was tested',
};
const MOVING = ['running', 'rolling_back'];

/** One execution: how far it is, what each step found, how to undo it. */
export function ActionProgress({ action }: { action: Action }) {
  const may = useMay();
  const who = useWho();
  const moving = MOVING.includes(action.status);
  const forward = action.steps.filter(({ rollback, ok }) => !rollback && ok != null).length;
  const share = action.steps_total ? (forward / action.steps_total) * 100 : 0;
  return (
    <Panel
      title={moving ? 'In progress' : (TITLES[action.purpose] ?? 'Last execution')}
      note={
        <>
          Requested by {who(action)}, started <When at={action.started_at} />
          {action.finished_at && `, took ${took(action.started_at, action.finished_at)}`}
        </>
      }
      actions={
        <Group gap="xs">
          <ActionStatus of={action} size="lg" />
          {action.can_roll_back && may('intelligence.operate') && <RollBack action={action} />}
        </Group>
      }
    >
      {moving && (
        <Progress value={share} animated size={6} mb="md" aria-label="Progress of the action" />
      )}
      {action.reason && (
        <Text size="sm" mb="sm">
          {sentence(action.reason)}
        </Text>
      )}
      <Stack component="ol" gap={8} m={0} p={0} style={{ listStyle: 'none' }} aria-live="polite">
        {action.steps.map((step, index) => (
          <StepRow key={`${index}-${step.kind}`} step={step} />
        ))}
      </Stack>
      {action.watch && <Watch of={action.watch} />}
    </Panel>
  );
}

function StepRow({ step }: { step: Action['steps'][number] }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      {step.ok == null ? (
        <Loader size={18} mt={2} aria-label="Running" />
      ) : (
        <ThemeIcon
          size={18}
          radius="xl"
          mt={2}
          color={step.ok ? 'green' : 'red'}
          variant="light"
          aria-label={step.ok ? 'Done' : 'Failed'}
          role="img"
        >
          {step.ok ? <IconCheck size={12} /> : <IconX size={12} />}
        </ThemeIcon>
      )}
      <div style={{ minWidth: 0, flex: 1 }}>
        <Text size="sm">
          {step.rollback && <b>Rollback: </b>}
          <b>{words(step.kind)}.</b> {step.description}
        </Text>
        {step.detail && (
          <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
            {step.detail}
          </Text>
        )}
      </div>
      {step.finished_at && (
        <Text size="xs" className="muted numeral">
          {took(step.started_at, step.finished_at)}
        </Text>
      )}
    </Group>
  );
}

export function RollBack({ action }: { action: Action }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const undo = useChange(rollBack);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconArrowBackUp size={15} />}
        onClick={open}
      >
        {action.waits ? 'End early' : 'Roll back'}
      </Button>
      {opened && (
        <FormDialog
          title={action.waits ? 'End this change early?' : 'Roll back this change?'}
          explain={
            action.waits
              ? 'It stops waiting, and restores the state from before the change.'
              : 'Restores the state from before the change. The resource may be unavailable while it runs.'
          }
          submit={action.waits ? 'End now' : 'Roll back now'}
          colour="orange"
          error={undo.error}
          pending={undo.isPending}
          onClose={close}
          onSubmit={() => undo.mutate({ id: action.id, reason }, { onSuccess: close })}
        >
          <Text size="sm">{action.title}</Text>
          <Textarea
            label="Reason"
            description="Optional. It is shown with the action and recorded in the audit log."
            autosize
            minRows={2}
            maxLength={2000}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </FormDialog>
      )}
    </>
  );
}

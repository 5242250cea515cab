import { Button, Group, Radio, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { body, client } from '../../api/client';
import { fieldMessages } from '../../api/problem';
import { CodeBlock } from '../../display/CodeBlock';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Trail } from '../../display/Trail';
import { useUnsavedWarning } from '../../display/unsaved';
import {
  commands,
  isPrincipal,
  isRole,
  newExternalId,
  ROLE,
  trustPolicy,
  type ConnectValues,
} from './connect-aws';
import { FirstFindings } from './FirstFindings';
import { addConnection, testConnection, useChange } from './queries';

const ConnectStep = lazyComponent(() => import('./ConnectStep'), 'ConnectStep');
const TRAIL = <Trail of={[['Connections', '/estate/connections']]} />;

const policyQuery = (observe_only: boolean) => ({
  queryKey: ['estate', 'policy', observe_only],
  queryFn: () =>
    body(client.GET('/api/v1/connections/policy/aws', { params: { query: { observe_only } } })),
  staleTime: Infinity,
});

/** An AWS account step by step: permissions, role, connection with its test, first findings. */
export function ConnectAws() {
  const [step, setStep] = useState(0);
  const [connected, setConnected] = useState<{ id: string; name: string }>();
  const add = useChange(addConnection);
  const test = useChange(testConnection);
  const form = useForm<ConnectValues>({
    initialValues: {
      access: 'read',
      principal: '',
      external_id: newExternalId(),
      name: '',
      regions: ['us-east-1'],
      assume_role: '',
      how: 'ambient',
      credentials: { access_key_id: '', secret_access_key: '' },
    },
    validate: (values) => {
      if (step === 1)
        return {
          assume_role: isRole(values.assume_role.trim())
            ? null
            : 'Enter the ARN of the role, as in arn:aws:iam::123456789012:role/reeve',
        };
      if (step !== 2) return {};
      const keyed = values.how === 'key';
      return {
        name: values.name.trim() === '' ? 'Enter a name' : null,
        regions: values.regions.length === 0 ? 'Enter at least one region' : null,
        'credentials.access_key_id':
          keyed && values.credentials.access_key_id.trim() === ''
            ? 'Enter the access key id'
            : null,
        'credentials.secret_access_key':
          keyed && values.credentials.secret_access_key === ''
            ? 'Enter the secret access key'
            : null,
      };
    },
  });
  const { values } = form;
  useUnsavedWarning(form.isDirty() && !connected);
  const next = () => {
    if (!form.validate().hasErrors) setStep(step + 1);
  };
  const connect = async () => {
    if (form.validate().hasErrors) return;
    const credentials =
      values.how === 'key'
        ? {
            access_key_id: values.credentials.access_key_id.trim(),
            secret_access_key: values.credentials.secret_access_key,
          }
        : undefined;
    const given = {
      name: values.name.trim(),
      provider: 'aws',
      regions: values.regions,
      credentials,
      assume_role: values.assume_role.trim(),
      external_id: values.external_id,
      allow_actions: values.access === 'change',
    };
    try {
      const { id, name } = await add.mutateAsync(given);
      setConnected({ id, name });
      const { ok } = await test.mutateAsync(id);
      if (ok) setStep(3);
    } catch (error) {
      form.setErrors(fieldMessages(error));
    }
  };

  return (
    <Page
      title="Connect an AWS account"
      above={TRAIL}
      description="Four steps, about ten minutes. Reeve reads with a role in your account; nothing is changed unless you allow it."
    >
      <Stepper
        active={step}
        onStepClick={(to) => {
          if (to < step && !connected) setStep(to);
        }}
        size="sm"
        orientation="horizontal"
        wrap
      >
        <Stepper.Step label="Permissions">
          <Permissions
            access={values.access}
            onAccess={(access) => form.setFieldValue('access', access)}
          />
        </Stepper.Step>
        <Stepper.Step label="Role">
          <Panel title="Create the role">
            <Stack gap="md">
              <TextInput
                label="Identity that Reeve signs in with"
                description="The ARN of the user or role that Reeve runs as, or the number of its account"
                placeholder="arn:aws:iam::210987654321:user/reeve"
                {...form.getInputProps('principal')}
                error={
                  values.principal.trim() && !isPrincipal(values.principal.trim())
                    ? 'Enter an ARN or a number of 12 digits'
                    : undefined
                }
              />
              <Text size="sm">
                Save this trust policy as <b>trust.json</b>. It lets Reeve assume the role, with the
                external id that was made for this connection.
              </Text>
              <CodeBlock
                label="Trust policy"
                file="trust.json"
                text={JSON.stringify(
                  trustPolicy(values.principal.trim() || 'REEVE_ACCOUNT', values.external_id),
                  null,
                  2,
                )}
              />
              <Text size="sm">
                Run this in the account that Reeve is to read, with both files beside it. The last
                line prints the ARN of the role.
              </Text>
              <CodeBlock label="Commands" text={commands()} />
              <TextInput
                label="ARN of the role"
                placeholder={`arn:aws:iam::123456789012:role/${ROLE}`}
                required
                {...form.getInputProps('assume_role')}
              />
            </Stack>
          </Panel>
        </Stepper.Step>
        <Stepper.Step label="Connection">
          <ConnectStep form={form} error={add.error ?? test.error} test={test.data} />
        </Stepper.Step>
        <Stepper.Step label="First findings">
          {connected && (
            <FirstFindings id={connected.id} account={test.data?.account ?? undefined} />
          )}
        </Stepper.Step>
      </Stepper>
      {step < 3 && (
        <Group justify="flex-end" gap="sm">
          {step > 0 && !connected && (
            <Button variant="default" onClick={() => setStep(step - 1)}>
              Back
            </Button>
          )}
          {step < 2 && <Button onClick={next}>Next</Button>}
          {step === 2 && !connected && (
            <Button loading={add.isPending || test.isPending} onClick={() => void connect()}>
              Connect and test
            </Button>
          )}
          {step === 2 && connected && (
            <Button
              loading={test.isPending}
              onClick={() =>
                test.mutate(connected.id, {
                  onSuccess: ({ ok }) => {
                    if (ok) setStep(3);
                  },
                })
              }
            >
              Test again
            </Button>
          )}
        </Group>
      )}
    </Page>
  );
}

function Permissions({
  access,
  onAccess,
}: {
  access: 'read' | 'change';
  onAccess: (access: 'read' | 'change') => void;
}) {
  const { data, error, refetch } = useQuery(policyQuery(access === 'read'));
  return (
    <Panel title="Choose the permissions">
      <Stack gap="md">
        <Radio.Group
          value={access}
          onChange={(value) => onAccess(value as 'read' | 'change')}
          aria-label="Permissions"
        >
          <Stack gap="sm">
            <Radio
              value="read"
              label="Read only"
              description="Enough for resources, costs, recommendations and anomalies. You can allow changes later."
            />
            <Radio
              value="change"
              label="Read and change"
              description="Also the permissions for each change that Reeve offers. Guardrails and approvals still apply."
            />
          </Stack>
        </Radio.Group>
        <Text size="sm">
          Save this policy as <b>policy.json</b>. It holds the permissions that this version of
          Reeve uses, and no others.
        </Text>
        <ProblemAlert error={error} onRetry={() => void refetch()} />
        {data && (
          <CodeBlock
            label="Policy"
            file="policy.json"
            text={JSON.stringify(data.policy, null, 2)}
          />
        )}
      </Stack>
    </Panel>
  );
}

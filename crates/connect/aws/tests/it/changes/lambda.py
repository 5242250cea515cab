"""Functions."""

import io
import zipfile


def function(name):
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
    role = client("iam").create_role(RoleName=f"runs-{name}", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("main.py", "def handler(event, context): pass")
    made = client("lambda").create_function(
        FunctionName=name, Runtime="python3.12", Role=role, Handler="main.handler", Code={"ZipFile": archive.getvalue()}
    )
    return made["FunctionArn"]


@change("make_function_private")
def _():
    made = function("open")
    functions = client("lambda")
    functions.add_permission(FunctionName="open", StatementId="all", Action="lambda:InvokeFunction", Principal="*")
    functions.add_permission(FunctionName="open", StatementId="mail", Action="lambda:InvokeFunction", Principal="ses.amazonaws.com")
    statements = json.loads(functions.get_policy(FunctionName="open")["Policy"])["Statement"]
    return {"id": made, "with": {"statement": statements[0], "left": statements[1:]}}


@change("enable_function_tracing")
def _():
    return function("untraced")
